import Bytes
import HomeAssistant
import Outbox

/// What must be true when the day is over.
struct Audit {
  private let world: World
  private(set) var complaints: [String] = []

  init(_ world: World) {
    self.world = world
    complaints += world.home.records.complaints
    checkSecrets()
    checkAgent()
    checkReadings()
    checkFixes()
    checkOrder()
    checkTimes()
    checkChunks()
    checkNewest()
  }

  private var records: HomeRecords { world.home.records }
  private var ledger: Ledger { world.ledger }

  private mutating func complain(_ words: String) { complaints.append(words) }

  private mutating func checkSecrets() {
    if world.home.isBanned { complain("Home Assistant banned the board") }
  }

  private mutating func checkAgent() {
    guard let agent = world.agent else { return complain("the agent is not there") }
    // Numbers that a failed write or the power took away are counted like entries.
    let isCountExact = ledger.diskTroubles.isEmpty && !ledger.ends.contains { $0.isPowerLoss }
    if agent.entryCount > 0, isCountExact || !agent.hasEmptySpool {
      complain("the agent still has \(agent.entryCount) entries to deliver")
    }
  }

  /// Every reading arrived, or may be lost by what the configuration says, or is counted as lost.
  private mutating func checkReadings() {
    var seen: Set<Int> = []
    for sighting in records.sightings {
      if let number = BoardSensor.number(of: sighting.value) { seen.insert(number) }
    }
    let missing = ledger.made.filter { number, reading in
      !seen.contains(number) && !reading.recordedTimes.allSatisfy { ledger.mayBeLost(madeAt: $0) }
    }
    let counted = ledger.lostCount + (world.agent?.losses.entryCount ?? 0)
    guard missing.count > counted else { return }
    for (number, reading) in missing.sorted(by: { $0.key < $1.key }) {
      let moments = reading.times.map { "\($0.nanoseconds / 1_000_000)" }.joined(separator: ", ")
      complain("the reading \(number) of \(reading.sensor) is lost, made at \(moments) ms")
    }
  }

  private mutating func checkFixes() {
    let seen = Set(records.locations.map { Board.fixNumber(longitude: $0.longitude) })
    let missing = ledger.fixes.filter { number, fix in
      fix.isRecorded && !seen.contains(number) && !ledger.mayBeLost(madeAt: fix.at)
    }
    let counted = ledger.lostCount + (world.agent?.losses.entryCount ?? 0)
    if missing.count > counted { complain("the fixes \(missing.keys.sorted()) are lost") }
    for location in records.locations where location.way == .state {
      guard let fix = ledger.fixes[Board.fixNumber(longitude: location.longitude)] else {
        complain("a location that never was: \(location.longitude)")
        continue
      }
      let age = world.moment(of: location) - fix.from
      if age > Delivery.fixAgeMax + Network.timeout { complain("a fix went as new after \(age)") }
    }
  }

  /// What is new comes in the order in which it was made: among states, and among history. What was
  /// seen before may come again whenever an acknowledgement was lost.
  private mutating func checkOrder() {
    var newestState: [String: Int] = [:]
    var newestOfHistory: [String: Int] = [:]
    var seen: Set<Int> = []
    for sighting in records.sightings {
      guard let number = BoardSensor.number(of: sighting.value) else {
        complain("a value that never was: \(sighting.value)")
        continue
      }
      let isNew = seen.insert(number).inserted
      guard case .history(let chunk) = sighting.way else {
        if number < newestState[sighting.sensor] ?? 0 {
          complain("\(sighting.sensor) goes back to \(number)")
        }
        newestState[sighting.sensor] = number
        continue
      }
      guard isNew else { continue }
      let newest = newestOfHistory[sighting.sensor] ?? 0
      if number < newest, world.plan.order == .oldestFirst, !ledger.hasUnreadSegment {
        complain(
          "the history of \(sighting.sensor) goes back from \(newest) to \(number) in"
            + " \(records.chunks[chunk])")
      }
      newestOfHistory[sighting.sensor] = number
    }
  }

  /// A time that is said to be right is right.
  private mutating func checkTimes() {
    for sighting in records.sightings {
      guard case .history(let chunk) = sighting.way, let time = sighting.time,
        let number = BoardSensor.number(of: sighting.value), let reading = ledger.made[number]
      else { continue }
      if reading.sensor != sighting.sensor {
        complain("\(number) of \(reading.sensor) came as of \(sighting.sensor)")
      }
      let errors = reading.trueTimes.map { (Double($0.nanoseconds) / 1e9 - time).magnitude }
      if records.chunks[chunk].isClockTrusted, (errors.min() ?? 0) > Limits.trustedTimeError {
        complain(
          "the time of \(number) of \(reading.sensor) is said to be right and is wrong by"
            + " \(errors.min() ?? 0) s; it was made at"
            + " \(reading.times.map { $0.nanoseconds / 1_000_000 }) ms")
      }
    }
  }

  /// Whoever remembers the highest number can tell what is new and what is a double.
  private mutating func checkChunks() {
    var highest = 0
    for chunk in records.chunks {
      if chunk.byteCount > 32 * 1024 { complain("a chunk of \(chunk.byteCount) bytes") }
      guard let first = chunk.first, let last = chunk.last else { continue }
      if first > last { complain("a chunk from \(first) to \(last)") }
      highest = max(highest, last)
    }
  }

  private mutating func checkNewest() {
    for sensor in world.board.sensors {
      let shown = world.home.shown(sensor.id)
      let newest = sensor.kind == .text ? "t\(sensor.number)" : "\(sensor.number)"
      if shown != newest, !world.home.isDisabled(sensor.id) {
        complain("\(sensor.id) shows \(shown ?? "nothing") and not \(newest)")
      }
    }
  }
}
