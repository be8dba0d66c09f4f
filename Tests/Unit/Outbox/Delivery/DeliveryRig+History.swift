import Bytes
import Sensing

@testable import Outbox

/// An event with history.
struct Chunk: JSONDecodable {
  let deviceID: String
  let device: String
  let first: Int64?
  let last: Int64?
  let clock: String
  let sensors: [String]
  let names: [String]
  let readings: [[Double?]]
  let pointColumns: [String]
  let points: [[Double?]]

  var numbers: [Double] { readings.compactMap { $0[2] } }

  init(json: JSON) throws(JSONDecodingError) {
    deviceID = try json.get("device_id")
    device = try json.get("device")
    first = try json.getIfPresent("first")
    last = try json.getIfPresent("last")
    clock = try json.get("clock")
    sensors = try json.get("sensors")
    names = try json.get("names")
    readings = try json.get("readings")
    pointColumns = try json.get("point_columns")
    points = try json.get("points")
  }

  init?(_ data: String) {
    guard data.contains("homeward_history"),
      let event = try? JSON(parsing: Array(data.utf8).span),
      let chunk = try? event.get("event_data", as: Chunk.self)
    else { return nil }
    self = chunk
  }
}

extension DeliveryRig {
  /// One whose sensor of a level is known to Home Assistant, and that has told nothing since.
  static func withLevel(
    history: consuming History = .forTests(), isClockSynchronized: Bool = true
  ) throws -> (rig: DeliveryRig, level: SensorIndex) {
    let rig = try DeliveryRig(history: history, isClockSynchronized: isClockSynchronized)
    let level = try rig.sensor("level", 0)
    try rig.acceptedCycle()
    rig.forgetWhatWasToldSoFar()
    return (rig, level)
  }

  /// What of it went as history since the last time.
  func chunks() -> [Chunk] {
    defer { forgetWhatWasToldSoFar() }
    return sent.compactMap { Chunk($0) }
  }

  /// What goes as history once Home Assistant is back, of all that was not told so far.
  func recoveredChunks() throws -> [Chunk] {
    forgetWhatWasToldSoFar()
    try recover()
    return chunks()
  }

  /// An outage in which these are read, one in each cycle.
  func outage(_ sensor: SensorIndex, _ numbers: ClosedRange<Int64>) {
    for number in numbers {
      record(sensor, number)
      cycleDue()
      if underWay != nil { connectionFailed() }
      sleep(.seconds(1))
    }
  }

  /// Home Assistant is back and takes what is fresh; history is due.
  func endOutage() throws {
    while isInOutage { try acceptedAttempt() }
  }

  /// Home Assistant is back and takes everything, chunk by chunk.
  func recover() throws {
    try endOutage()
    while let deadline, deadline <= now {
      wake()
      try acceptAll()
    }
  }

  /// How many entries only this process has, after all was done to keep them.
  func unkeptAfterAnAttempt() -> Int {
    delivery.history.keepEverything()
    settle()
    return delivery.history.spool.unkeptEntryCount
  }

  var historyEntryCount: Int { delivery.history.entryCount }
  var hasWritten: Bool { diskActions.contains { $0 != .list } }
}
