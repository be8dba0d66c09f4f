import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// Commands that concern when and what the board reports, and its reboot.
@Suite struct CommandedCycleTests {
  private let rig = Self.rig()

  private static func rig(_ track: TrackFilter.Settings? = nil) -> UplinkRig {
    .proven(.init(track: track, commands: CommandTests.all))
  }

  // MARK: A location

  /// The track does not need it, and it is not time for a cycle.
  @Test func aLocationThatIsAskedForGoesAtOnce() throws {
    let rig = Self.rig(TrackFilter.Settings())
    for _ in 0..<2 {
      rig.wait(.seconds(30))
      rig.locate()
      rig.cycle()
      rig.prove()
    }
    #expect(rig.uplink.counts.locations == 1)
    rig.wait(.seconds(7))
    let samples = rig.sampleCount
    try rig.notify("request_location_update")
    #expect(rig.sampleCount == samples + 1 && rig.results.isEmpty)
    rig.locate()
    rig.cycle()
    rig.prove()
    #expect(rig.uplink.counts.locations == 2)
    #expect(rig.told.map { $0.result } == ["done"])
  }

  /// An earlier fix waits for the proof of a slow cycle.
  @Test func aLocationThatIsAskedForIsKeptWhateverWaits() throws {
    let rig = Self.rig(TrackFilter.Settings())
    for _ in 0..<2 {
      rig.wait(.seconds(30))
      rig.locate()
      rig.cycle()
    }
    rig.wait(.seconds(5))
    try rig.notify("request_location_update")
    rig.locate()
    rig.cycle()
    #expect(rig.results.map { $0.problem } == [nil])
  }

  @Test func withoutAFixTheLocationFailed() throws {
    rig.locate()
    try rig.notify("request_location_update")
    rig.cycle()
    #expect(rig.told.map { $0.reason } == ["no_fix"])
    #expect(rig.told.map { $0.result } == ["failed"])
  }

  /// The receiver may have given its fix already.
  @Test func aCycleThatIsUnderWayServesTheCommandToo() throws {
    rig.wait(.seconds(30))
    let samples = rig.sampleCount
    try rig.notify("command_update_sensors")
    #expect(rig.sampleCount == samples)
    try rig.notify("request_location_update")
    #expect(rig.sampleCount == samples + 1)
    rig.locate()
    rig.cycle()
    rig.prove()
    #expect(rig.told.map { $0.result } == ["done", "done"])
  }

  // MARK: All sensors

  @Test func allStatesAreToldAgain() throws {
    let sensors = [try rig.declare("load"), try rig.declare("level")]
    func cycle() {
      for sensor in sensors { rig.record(sensor, 7) }
      rig.cycle()
    }
    // Where nothing is new, the first one is repeated, and no other.
    func isAllTold() -> Bool { rig.messages.last?.contains(#""level""#) == true }
    cycle()
    rig.wait(.seconds(30))
    cycle()
    rig.proveAll(["load", "level"])
    rig.wait(.seconds(30))
    cycle()
    #expect(!isAllTold())
    rig.proveAll(["load", "level"])
    try rig.notify("command_update_sensors")
    cycle()
    rig.answer(200, "{}")
    #expect(isAllTold())
    rig.proveAll(["load", "level"])
    // Also where it comes while a message is under way.
    rig.wait(.seconds(30))
    cycle()
    #expect(!isAllTold())
    try rig.notify("command_update_sensors")
    rig.proveAll(["load", "level"])
    cycle()
    rig.answer(200, "{}")
    #expect(isAllTold())
  }

  // MARK: The interval

  @Test func cyclesAreAsFarApartAsTheCommandSays() throws {
    try rig.notify("command_interval", #"{"every":600}"#)
    #expect(rig.paces.map(\.cycle) == [.seconds(600)])
    rig.wait(.zero)
    let samples = rig.sampleCount
    rig.wait(.seconds(599))
    #expect(rig.sampleCount == samples)
    rig.wait(.seconds(1))
    #expect(rig.sampleCount == samples + 1)
    try rig.notify("command_interval")
    #expect(rig.paces.map(\.cycle) == [.seconds(600), .seconds(30)])
    rig.wait(.zero)
    rig.wait(.seconds(30))
    #expect(rig.sampleCount == samples + 3)
  }

  /// The owner is far away, and forgets it.
  @Test func anIntervalForATimeEndsWithThatTime() throws {
    try rig.notify("command_interval", #"{"every":3600,"for":"90"}"#)
    rig.wait(.zero)
    let samples = rig.sampleCount
    rig.wait(.seconds(90))
    #expect(rig.sampleCount == samples + 1)
    #expect(rig.paces.map(\.cycle) == [.seconds(3600), .seconds(30)])
    rig.wait(.seconds(30))
    #expect(rig.sampleCount == samples + 2)
  }

  @Test func anIntervalThatIsOverAfterASleepIsOver() throws {
    try rig.notify("command_interval", #"{"every":60,"for":90}"#)
    rig.wait(.zero)
    rig.wait(.seconds(5000))
    #expect(rig.paces.last?.cycle == .seconds(30))
    #expect(rig.uplink.nextCycleAt == rig.now + .seconds(30))
  }

  @Test(arguments: [
    (#"{"every":4.999}"#, "every"), (#"{"every":86401}"#, "every"),
    (#"{"every":"often"}"#, "every"), (#"{"every":60,"for":2592001}"#, "for"),
  ])
  func anIntervalOutOfRangeIsRefused(data: String, key: String) throws {
    try rig.notify("command_interval", data)
    #expect(rig.paces.isEmpty)
    rig.cycle()
    #expect(rig.told.map { $0.key } == [key])
  }

  // MARK: Reboot

  @Test func theBoardRebootsWhenHomeAssistantKnowsThatItWill() throws {
    try rig.notify("command_reboot")
    #expect(rig.orders == [.prepareReboot])
    rig.cycle()
    #expect(rig.told.map { $0.result } == ["done"] && rig.rebootCount == 0)
    rig.prove()
    #expect(rig.rebootCount == 1)
    rig.wait(.seconds(30))
    rig.cycle()
    rig.prove()
    #expect(rig.rebootCount == 1)
  }

  @Test func itDoesNotWaitForAHomeAssistantThatIsGone() throws {
    try rig.notify("command_reboot")
    rig.cycle()
    rig.event { $0.messageFailed(InlineText("no route"), now: $1) }
    rig.wait(.seconds(14))
    #expect(rig.rebootCount == 0)
    #expect(rig.uplink.deadline <= rig.now + .seconds(1))
    rig.wait(.seconds(1))
    #expect(rig.rebootCount == 1)
  }

  @Test func aBoardThatMayNotRebootDoesNot() throws {
    rig.boardProblem = .noReboot
    try rig.notify("command_reboot")
    rig.cycle()
    rig.prove()
    rig.wait(.seconds(30))
    #expect(rig.rebootCount == 0)
    #expect(rig.told.map { $0.reason } == ["no_reboot"])
  }
}
