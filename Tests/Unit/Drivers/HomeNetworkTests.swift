import Bytes
import CLinux
import Drivers
import LinuxIO
import Sensing
import Testing

/// The network of the machine that the tests run on, whatever it is.
@Suite struct HomeNetworkTests {
  private final class Owner: HomeNetworkOwner {
    private(set) var changeCount = 0
    private(set) var reports: [String] = []

    func placeChanged() { changeCount += 1 }
    func homeNetworkFailed(_ failure: SourceFailure) { reports.append(string(failure)) }
    func homeNetworkRecovered() { reports.append("recovered") }
  }

  private let loop: EventLoop
  private let owner = Owner()
  private let otherOwner = Owner()

  init() throws { loop = try EventLoop() }

  /// Turns the loop until nothing more is to be done, or it has failed.
  private func settle(_ network: HomeNetwork) throws {
    while let deadline = network.deadline, owner.reports.isEmpty {
      try loop.turn(until: deadline)
      let now = Moment.now.instant
      if let deadline = network.deadline, now >= deadline { network.deadlineReached(now: now) }
    }
  }

  private func started() throws -> HomeNetwork {
    let network = HomeNetwork(loop: loop, owner: owner)
    network.start(now: Moment.now.instant)
    try settle(network)
    return network
  }

  /// The words of each line of a table of procfs, without its head.
  private static func table(_ path: StaticString) throws -> [[String]] {
    var buffer = ByteBuffer(capacity: 64 * 1024)
    try Descriptor(opening: Path([UInt8](path)), mode: .read).readFromStart(into: &buffer)
    return string([UInt8](buffer.bytes)).split(separator: "\n").dropFirst().map { line in
      line.split(whereSeparator: \.isWhitespace).map(String.init)
    }
  }

  /// What procfs says of IPv4: the interface and the gateway, as it writes them, of the default
  /// route.
  private static func defaultRoute() throws -> (interface: String, gateway: String)? {
    let routes = try table("/proc/net/route").filter { row in
      row.count > 7 && row[1] == "00000000" && row[7] == "00000000"
    }
    let best = routes.min { (Int($0[6]) ?? 0) < (Int($1[6]) ?? 0) }
    return best.map { ($0[0], $0[2]) }
  }

  @Test func thePlaceIsKnownAsSoonAsTheKernelHasAnswered() throws {
    let network = try started()
    defer { network.stop() }
    #expect(owner.reports.isEmpty)
    #expect(owner.changeCount >= 1)
    #expect(network.place != .unknown)
  }

  @Sendable private static func hasDefaultRoute() throws -> Bool { try defaultRoute() != nil }

  @Test(.enabled("this machine has no default route", hasDefaultRoute))
  func thePlaceIsThatOfTheDefaultRoute() throws {
    let network = try started()
    defer { network.stop() }
    let route = try #require(try Self.defaultRoute())
    switch network.place {
    case .unknown, .none: Issue.record("there is a default route over \(route.interface)")
    case .wireless(_, let interface), .elsewhere(let interface), .silent(_, let interface):
      #expect(string(interface.name) == route.interface)
    case .wired(let gateway, let interface):
      #expect(string(interface.name) == route.interface)
      // Four bytes in the order of the machine, in hexadecimal.
      let number = UInt32(route.gateway, radix: 16) ?? 0
      let address = (0..<4).map { String(number >> (8 * $0) & 0xFF) }.joined(separator: ".")
      let neighbour = try Self.table("/proc/net/arp").first { row in
        row.count > 5 && row[0] == address && row[5] == route.interface && row[2] != "0x0"
      }
      #expect(gateway.map(text) == neighbour?[3])
    }
  }

  private func text(_ address: HardwareAddress) -> String {
    var buffer = ByteBuffer(capacity: HardwareAddress.textByteCount)
    buffer.append(address)
    return string([UInt8](buffer.bytes))
  }

  @Test func nothingIsDueWhileNothingChanges() throws {
    let network = try started()
    defer { network.stop() }
    #expect(network.deadline == nil)
    let count = owner.changeCount
    // Another one that asks is no announcement to this one.
    let other = HomeNetwork(loop: loop, owner: otherOwner)
    other.start(now: Moment.now.instant)
    try settle(other)
    other.stop()
    #expect(owner.changeCount == count)
  }

  /// A VPN that has taken the default route answers none of these names.
  @Test(arguments: [
    "http://homeassistant.local:8123", "http://HomeAssistant.LOCAL:8123", "http://ha.local./",
    "http://homeassistant:8123", "http://ha", "http://ha.lan:8123", "http://ha.home",
    "http://ha.home.arpa:8123/", "http://ha.internal", "http://ha.Fritz.box", "http://ha.",
  ])
  func aNameOfTheLocalNetworkPassesTunnels(url: String) {
    #expect(passesTunnels(url))
  }

  @Test(arguments: [
    "https://ha.example.org", "https://local.example.org:8123", "https://ha.mylan",
    "https://ha.fritzbox", "https://ha.box", "https://ha.arpa.", "http://192.168.1.5:8123",
    "http://[fd00::5]:8123", "http://.", "http://.lan",
  ])
  func anyOtherNameAndAnAddressDoNot(url: String) {
    #expect(!passesTunnels(url))
  }

  private func passesTunnels(_ url: String) -> Bool {
    NetworkGoal(url: [UInt8](url.utf8), in: HomeNetworks()).passesTunnels
  }

  /// Nothing else of a process of its own has such sockets.
  private static func spoilNetlinkSockets() -> [Int32] {
    let sockets = ((3..<256) as Range<Int32>).filter { number in
      var (domain, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      let result = unsafe getsockopt(number, SOL_SOCKET, SO_DOMAIN, &domain, &size)
      return result == 0 && domain == AF_NETLINK
    }
    let other = epoll_create1(0)
    for socket in sockets { #expect(dup2(other, socket) == socket) }
    return sockets
  }

  private static func readFailingSockets() throws {
    let test = try HomeNetworkTests()
    let network = try test.started()
    for socket in spoilNetlinkSockets() { network.descriptorReady(socket, .input) }
    #expect(test.owner.reports.count == 1)
    #expect(network.place == .unknown)
    #expect(network.deadline != nil)
    network.stop()
  }

  @Test func aSocketThatFailsIsReportedOnceAndOpenedAgainLater() async {
    await #expect(processExitsWith: .success) { try HomeNetworkTests.readFailingSockets() }
  }

  @Test func theLoopLetsGoOfWhatIsStopped() throws {
    weak var network: HomeNetwork?
    do {
      let running = try started()
      network = running
      running.stop()
    }
    #expect(network == nil)
  }
}
