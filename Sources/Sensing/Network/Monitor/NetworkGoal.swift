import Bytes

/// The destination of the machine, and the gateways that are home.
public struct NetworkGoal: Sendable {
  /// Address of Home Assistant in the home network, if it is configured as a number.
  public var address: NetworkAddress?
  /// Whether only the local network can resolve its name, such as one that ends in `.local`: it is
  /// not reached over a tunnel that has taken the default route.
  public var passesTunnels: Bool
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
  /// Hardware address of another gateway that has answered; the home's, if that is one of them.
  private(set) var known: HardwareAddress?
  /// Next time to contact them; nil if none of them can be the home's.
  private(set) var nextAt: Instant?
  private var pause = NetworkMonitor.gatewayTimeout
  private let home: [HardwareAddress]

  /// Nil if no gateway is awaited.
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

  /// Whether one of them may be the home's, and is worth contacting.
  var maySpeak: Bool { !home.isEmpty }

  /// Records that the kernel was made to ask for them.
  mutating func spoken(now: Instant) {
    nextAt = now + pause
    pause = min(pause * 2, NetworkMonitor.gatewayPauseMax)
  }

  /// Removes the gateway that answered. Returns whether it is one of them.
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

extension NetworkMonitor {
  /// A request of the monitor to the owner of the sockets.
  public enum Action: Equatable, Sendable {
    /// Open both sockets and call `opened` or `failed`.
    case open
    /// Close both sockets.
    case close
    /// Join or leave a multicast group with announcements.
    case join(NetlinkProtocol, group: UInt32)
    case leave(NetlinkProtocol, group: UInt32)
    /// Send `request`.
    case send(NetlinkProtocol)
    /// Send a datagram to this address over the interface with this index, so that the kernel
    /// resolves its hardware address; the delivery does not matter.
    case speak(NetworkAddress, interface: UInt32)
    /// Report that `place` has changed.
    case tellPlace
    /// Report that the location cannot be determined, and why. The monitor retries.
    case tellFailure(SourceFailure)
    /// Report that the monitor works again.
    case tellRecovery
  }
}
