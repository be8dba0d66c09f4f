import Bytes

/// What the machine wants to reach, and what is home.
public struct NetworkGoal: Sendable {
  /// That of Home Assistant in the home network, where it is written as a number.
  public var address: NetworkAddress?
  /// Whether its name is one that only the network at hand can answer, such as one that ends in
  /// `.local`: it does not leave over a tunnel that has taken the default route.
  public var passesTunnels: Bool
  /// The hardware addresses that are home.
  public var gateways: [HardwareAddress]

  public init(
    address: NetworkAddress?, passesTunnels: Bool = false, gateways: [HardwareAddress] = []
  ) {
    self.address = address
    self.passesTunnels = passesTunnels
    self.gateways = gateways
  }
}

/// Gateways on a cable whose hardware addresses the kernel does not have.
struct AwaitedGateways {
  private(set) var addresses: [NetworkAddress]
  let interface: NetworkInterface
  /// That of another one, which is none of the home's, or of the one that is.
  private(set) var known: HardwareAddress?
  /// When they are spoken to next; nil where none of them can be the home's.
  private(set) var nextAt: Instant?
  private var pause = NetworkMonitor.gatewayTimeout
  private let home: [HardwareAddress]

  /// - Returns: nil where no gateway is awaited.
  init?(
    _ addresses: [NetworkAddress], behind known: HardwareAddress?, on interface: NetworkInterface,
    home: [HardwareAddress]
  ) {
    if addresses.isEmpty { return nil }
    self.addresses = addresses
    self.known = known
    self.interface = interface
    self.home = home
  }

  /// Whether one of them may be the home's, and is worth a word.
  var maySpeak: Bool { !home.isEmpty }

  /// The kernel was made to ask for them.
  mutating func spoken(now: Instant) {
    nextAt = now + pause
    pause = min(pause * 2, NetworkMonitor.gatewayPauseMax)
  }

  /// Takes in that one of them answered. Returns false where it is none of them.
  mutating func answered(_ neighbour: NeighbourMessage) -> Bool {
    guard let found = neighbour.hardwareAddress, neighbour.interface == interface.index,
      let index = addresses.firstIndex(where: { $0 == neighbour.address })
    else { return false }
    addresses.remove(at: index)
    if home.contains(found) {
      known = found
      addresses = []
    }
    known = known ?? found
    if nextAt == nil { addresses = [] }
    return true
  }
}
