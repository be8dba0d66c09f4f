import Bytes
import Drivers
import Foundation
import LinuxIO
import Sensing
import Testing

/// What this kernel answers a board in a network of its own, at the end of a cable to its home.
@Suite struct HomeNetworkKernelTests {
  private static let gateway = HardwareAddress([2, 0, 0, 0, 0, 1].span)
  private static let server = NetworkAddress(.ipv4, [10, 99, 2, 1].span)

  private final class Owner: HomeNetworkOwner {
    private(set) var places: [NetworkPlace] = []
    var network: HomeNetwork?

    func placeChanged() { if let network { places.append(network.place) } }
    func homeNetworkFailed(_ failure: SourceFailure) { Issue.record("\(failure)") }
    func homeNetworkRecovered() {}
  }

  /// Root may make networks.
  @Sendable private static func isAllowed() -> Bool {
    getuid() == 0 && run("ip -V && nsenter -V && unshare --net true") == 0
  }

  private static func run(_ script: String) -> Int32 {
    unsafe system("{ \(script); } > /dev/null 2>&1")
  }

  /// The other end lives in a process that ends with the test. Only what the kernel does by itself
  /// has been said over the cable.
  private static func plugIn(_ folder: String) -> Int32 {
    run(
      """
      set -e; mkfifo \(folder)/ready
      unshare --net sh -c 'ip link add home0 address 02:00:00:00:00:01 type veth peer name board0 \
        netns /proc/'$$'/ns/net && ip addr add 10.99.2.1/24 dev home0 && ip link set home0 up \
        && echo up > \(folder)/ready; exec sleep 60' &
      echo $! > \(folder)/pid
      read -r word < \(folder)/ready
      ip addr add 10.99.2.2/24 dev board0
      ip link set board0 up
      ip route add default via 10.99.2.1 metric 100
      """)
  }

  /// The places that are known in a network of its own after `script`, and after `change`.
  private func place(
    after script: String, at address: NetworkAddress?, change: String? = nil
  ) -> [NetworkPlace] {
    let gateway = Self.gateway
    return onThread { () -> [NetworkPlace] in
      guard unshare(CLONE_NEWNET) == 0 else { return [] }
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
      try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer {
        _ = Self.run("kill $(cat \(folder)/pid)")
        try? FileManager.default.removeItem(atPath: folder)
      }
      guard Self.plugIn(folder) == 0, Self.run(script) == 0, let loop = try? EventLoop(),
        let gateway
      else { return [] }
      let owner = Owner()
      let network = HomeNetwork(
        loop: loop, owner: owner, to: NetworkGoal(address: address, gateways: [gateway]))
      owner.network = network
      defer { network.stop() }
      network.start(now: Moment.now.instant)
      let end = Moment.now.instant + .seconds(20)
      while let deadline = network.deadline, Moment.now.instant < end {
        try? loop.turn(until: min(deadline, end))
        network.deadlineReached(now: Moment.now.instant)
      }
      guard let change, Self.run(change) == 0 else { return owner.places }
      let count = owner.places.count
      while owner.places.count == count, Moment.now.instant < end {
        try? loop.turn(until: earliest(network.deadline, end))
        network.deadlineReached(now: Moment.now.instant)
      }
      return owner.places
    }
  }

  /// Written before the semaphore is signalled, and read after.
  private final class Box<Value>: @unchecked Sendable { var value: Value? }

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
    let (box, isDone) = (Box<Value>(), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      box.value = body()
      isDone.signal()
    }
    isDone.wait()
    guard let value = box.value else { preconditionFailure("it was written before the signal") }
    return value
  }

  private func isHome(_ place: NetworkPlace?) -> Bool {
    if case .wired(gateway: Self.gateway, let interface) = place {
      return string(interface.name) == "board0"
    }
    return false
  }

  @Test(.enabled("networks are made by root", isAllowed))
  func aGatewayThatNoProgramSpeaksToIsSpokenTo() {
    let places = place(after: "true", at: nil)
    #expect(isHome(places.last), "\(places)")
    #expect(places.count == 2, "it was not known before")
  }

  @Test(.enabled("networks are made by root", isAllowed))
  func aTunnelThatHasTheDefaultRouteLeavesTheWayToTheServer() {
    let tunnel = "ip tuntap add dev tun0 mode tun && ip link set tun0 up"
    let route = "ip addr add 10.8.0.2/24 dev tun0 && ip route add default dev tun0 metric 50"
    let places = place(after: "\(tunnel) && \(route)", at: Self.server)
    #expect(isHome(places.last), "\(places)")
  }

  @Test(.enabled("networks are made by root", isAllowed))
  func aRuleThatSendsTheServersTrafficIntoATunnelIsHeard() {
    let tunnel = "ip tuntap add dev tun0 mode tun && ip link set tun0 up"
    let route = "ip addr add 10.8.0.2/24 dev tun0 && ip route add default dev tun0 table 52"
    let places = place(
      after: "\(tunnel) && \(route)", at: Self.server, change: "ip rule add pref 100 lookup 52")
    #expect(isHome(places.dropLast().last), "\(places)")
    guard case .elsewhere(let interface) = places.last else {
      Issue.record("\(places)")
      return
    }
    #expect(string(interface.name) == "tun0")
  }

  @Test(.enabled("networks are made by root", isAllowed))
  func withoutADefaultRouteTheServersHardwareCounts() {
    let places = place(after: "ip route del default", at: Self.server)
    #expect(isHome(places.last), "\(places)")
  }
}
