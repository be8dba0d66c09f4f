import Bytes
import CLinux
import LinuxIO
import Sensing
import Testing

@testable import Drivers

/// What this machine's kernel announces of its loopback interface, which root can make it do.
@Suite(.serialized, .enabled(if: unsafe access("/sys/class/net/lo/uevent", W_OK) == 0))
final class DeviceEventsTests: DriverSuite {
  private lazy var events = DeviceEvents(loop: loop, supervisor: supervisor)
  private let listener = Listener()

  /// A source of network interfaces that fails until it is asked again.
  private final class Listener: Source {
    let name = InlineText("wwan0")
    let deviceKinds: DeviceKinds = .network
    var askedCount = 0

    func sample(at moment: Moment) throws(SourceFailure) {
      askedCount += 1
      throw .missing(name)
    }
  }

  override init() throws {
    try super.init()
    supervisor.add(events)
    supervisor.add(listener)
    supervisor.sample(at: .now)
  }

  private func announce(_ device: StaticString = "/sys/class/net/lo") throws {
    try Descriptor(opening: Path([UInt8](device)) / "uevent", mode: .append)
      .writeAll([UInt8]("change".utf8).span)
  }

  /// A device of a kind that matters to no source.
  private static let other: StaticString = "/sys/devices/virtual/mem/null"

  /// Does what the agent's loop does, until the listener was asked so often.
  private func wait(for count: Int) throws {
    while listener.askedCount < count {
      try loop.turn(until: supervisor.deadline)
      supervisor.deadlineReached(at: .now)
    }
  }

  @Test func whatFailsIsAskedAgainWhenTheKernelAnnouncesItsDevice() throws {
    try announce()
    try wait(for: 2)
    // Those that follow within a second are one.
    for _ in 0..<40 { try announce() }
    try wait(for: 3)
    #expect(sink.reports == ["wwan0: missing wwan0"])
  }

  @Test func announcementsThatTheSocketCouldNotKeepAreNotMissed() throws {
    for _ in 0..<2000 { try announce(Self.other) }
    try wait(for: 2)
  }

  @Test func devicesOfOtherKindsWakeNoSource() throws {
    try announce(Self.other)
    try loop.turn(until: nil)
    #expect(supervisor.deadline == nil)
    #expect(listener.askedCount == 1)
  }

  @Test func aStormLeavesTheLoopToOthersAndIsHeardAgainAfterwards() throws {
    for _ in 0..<10_000 where !events.isResting {
      try announce(Self.other)
      try loop.turn(until: nil)
    }
    #expect(events.isResting)
    try announce()
    try loop.turn(until: Moment.now.instant)
    #expect(listener.askedCount == 1, "the loop does not hear of it now")
    try wait(for: 2)
    #expect(!events.isResting)
  }

  /// Root may write to the group of the kernel, and is not the kernel.
  @Test(.enabled(if: geteuid() == 0)) func onlyTheKernelIsBelieved() throws {
    let lie = [UInt8]("add@/devices/x\0SUBSYSTEM=net\0".utf8)
    // struct sockaddr_nl: family, padding, port, groups.
    let address: [UInt32] = [UInt32(AF_NETLINK), 0, 1]
    let stranger = try NetlinkSocket.deviceEvents()
    let sent = unsafe address.withUnsafeBytes { address in
      unsafe sendto(
        stranger.number, lie, lie.count, 0,
        __CONST_SOCKADDR_ARG(
          __sockaddr__: address.baseAddress?.assumingMemoryBound(to: sockaddr.self)),
        socklen_t(address.count))
    }
    #expect(sent == lie.count)
    try loop.turn(until: nil)
    supervisor.deadlineReached(at: .now)
    #expect(listener.askedCount == 1)
    #expect(supervisor.deadline == nil, "nothing is due while the kernel is silent")
  }
}
