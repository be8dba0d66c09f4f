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
    checkLosses()
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
    let missing = missingReadings
    guard missing.count > countedCount else { return }
    for (number, reading) in missing.sorted(by: { $0.key < $1.key }) {
      let moments = reading.times.map { "\($0.nanoseconds / 1_000_000)" }.joined(separator: ", ")
      complain("the reading \(number) of \(reading.sensor) is lost, made at \(moments) ms")
    }
  }

  private var missingReadings: [Int: Ledger.Made] {
    var seen: Set<Int> = []
    for sighting in records.sightings {
      if let number = BoardSensor.number(of: sighting.value) { seen.insert(number) }
    }
    return ledger.made.filter { number, reading in
      !seen.contains(number) && !reading.recordedTimes.allSatisfy { ledger.mayBeLost(madeAt: $0) }
    }
  }

  private var missingFixes: [Int: Ledger.MadeFix] {
    let seen = Set(records.locations.map { Board.fixNumber(longitude: $0.longitude) })
    return ledger.fixes.filter { number, fix in
      fix.isRecorded && !seen.contains(number) && !ledger.mayBeLost(madeAt: fix.at)
    }
  }

  private var countedCount: Int { losses.entryCount }
  private var losses: Spool.Losses {
    var losses = ledger.losses
    if let agent = world.agent { losses.add(agent.losses) }
    return losses
  }

  /// One count pays for one entry, be it a reading or a fix, and has a cause that there was.
  private mutating func checkLosses() {
    let missingCount = missingReadings.count + missingFixes.count
    if missingCount > countedCount {
      complain("\(missingCount) readings and fixes are lost, and \(countedCount) are counted")
    }
    let losses = losses
    if losses.thinned + losses.dropped > 0, world.plan.spoolByteCountCap == Spool.byteCountCap {
      complain("room was made where there was room: \(losses)")
    }
    let isMemoryWanted = world.plan.durability == .memory || !ledger.diskTroubles.isEmpty
    if losses.overflowed > 0, !isMemoryWanted {
      complain("the memory overflowed beside a disk that works: \(losses)")
    }
    let isDiskAtFault = !ledger.diskTroubles.isEmpty || ledger.ends.contains { $0.isPowerLoss }
    if losses.damaged + losses.nameless > 0, !isDiskAtFault {
      complain("the disk damaged something without a trouble: \(losses)")
    }
  }

  private mutating func checkFixes() {
    let missing = missingFixes
    if missing.count > countedCount { complain("the fixes \(missing.keys.sorted()) are lost") }
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

  private mutating func checkChunks() {
    for chunk in records.chunks {
      if chunk.byteCount > 32 * 1024 { complain("a chunk of \(chunk.byteCount) bytes") }
      guard let first = chunk.first, let last = chunk.last else { continue }
      if first > last { complain("a chunk from \(first) to \(last)") }
    }
    checkDoubles()
  }

  /// What comes with numbers that are not above the highest of before is a double: a receiver that
  /// remembers that number can tell.
  private mutating func checkDoubles() {
    guard world.plan.order == .oldestFirst, !ledger.hasUnreadSegment else { return }
    var seen: Set<String> = []
    var highest = 0
    var chunkUnderWay = -1
    for sighting in records.sightings {
      guard case .history(let number) = sighting.way else {
        seen.insert(sighting.value)
        continue
      }
      let chunk = records.chunks[number]
      guard let last = chunk.last else {
        seen.insert(sighting.value)
        continue
      }
      if number != chunkUnderWay {
        if chunkUnderWay >= 0 { highest = max(highest, records.chunks[chunkUnderWay].last ?? 0) }
        chunkUnderWay = number
      }
      if seen.insert(sighting.value).inserted, last <= highest {
        complain("\(sighting.value) is new, and its number \(last) is not above \(highest)")
      }
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
