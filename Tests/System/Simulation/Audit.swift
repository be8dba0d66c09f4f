import Bytes
import HomeAssistant

@testable import Outbox

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
    checkNewest()
    complaints += ChunkAudit(world).complaints
    complaints += HourAudit(world).complaints
  }

  private var records: HomeRecords { world.home.records }
  private var ledger: Ledger { world.ledger }

  private mutating func complain(_ words: String) { complaints.append(words) }

  private mutating func checkSecrets() {
    if world.home.isBanned { complain("Home Assistant banned the board") }
    // A key that is asked for afterwards may be lost on its way, or an old one may come.
    if !world.plan.settings.server.isPlainAllowed { complaints += records.keyDisputes }
  }

  private mutating func checkAgent() {
    guard let agent = world.agent else { return complain("the agent is not there") }
    // Numbers that a failed write or the power took away are counted like entries.
    let isCountExact = ledger.diskTroubles.isEmpty && !ledger.ends.contains { $0.isPowerLoss }
    if agent.spool.entryCount > 0, isCountExact || !agent.spool.isEmpty {
      complain("the agent still has \(agent.spool.entryCount) entries to deliver")
    }
  }

  /// Every reading arrived, or something took it that may, and that was seen to.
  private mutating func checkReadings() {
    var seen: Set<Int> = []
    for sighting in records.sightings {
      if let number = BoardSensor.number(of: sighting.value) { seen.insert(number) }
    }
    for (number, reading) in ledger.made.sorted(by: { $0.key < $1.key })
    where !seen.contains(number) {
      for (life, moment) in reading.recorded {
        let entry = RecordedEntry(.reading(number), life: life)
        if !ledger.mayBeLost(entry, recordedAt: moment) { complainOf(entry, recordedAt: moment) }
      }
    }
  }

  private mutating func complainOf(_ entry: RecordedEntry, recordedAt moment: Instant) {
    let cause = ledger.witness.causes[entry].map { "\($0)" } ?? "nothing that was seen"
    complain(
      "\(entry.item) is lost, recorded at \(moment.nanoseconds / 1_000_000) ms in the life"
        + " \(entry.life); what took it is \(cause)")
  }

  private var losses: Spool.Losses {
    var losses = ledger.losses
    if let agent = world.agent { losses.add(agent.spool.losses) }
    return losses
  }

  /// What is counted has a cause that there was.
  private mutating func checkLosses() {
    let losses = losses
    if losses.dropped > 0, world.plan.spoolByteCountCap == Spool.byteCountCap {
      complain("room was made where there was room: \(losses)")
    }
    let isMemoryWanted = world.plan.durability == .memory || !ledger.diskTroubles.isEmpty
    if losses.overflowed > 0, !isMemoryWanted {
      complain("the memory overflowed beside a disk that works: \(losses)")
    }
    let isDiskAtFault = !ledger.diskTroubles.isEmpty || ledger.ends.contains { $0.isPowerLoss }
    if losses.damaged + losses.unreadable + losses.nameless > 0, !isDiskAtFault {
      complain("the disk lost something without a trouble: \(losses)")
    }
  }

  private mutating func checkFixes() {
    let seen = Set(records.locations.map { Board.fixNumber(longitude: $0.longitude) })
    for (number, fix) in ledger.fixes.sorted(by: { $0.key < $1.key }) where !seen.contains(number) {
      guard let life = fix.recordedIn else { continue }
      let entry = RecordedEntry(.fix(number), life: life)
      if !ledger.mayBeLost(entry, recordedAt: fix.at) { complainOf(entry, recordedAt: fix.at) }
    }
    for location in records.locations where location.way == .state {
      guard let fix = ledger.fixes[Board.fixNumber(longitude: location.longitude)] else {
        complain("a location that never was: \(location.longitude)")
        continue
      }
      let age = world.instant(of: location.at) - fix.from
      if age > Delivery.fixAgeMax + Network.timeout { complain("a fix went as new after \(age)") }
    }
  }

  /// What is new comes in the order in which it was made: among states, and among history. What
  /// was seen before may come again whenever an acknowledgement was lost; and what was given up,
  /// such as a message over the home network when the board leaves it, may come after what was sent
  /// then.
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
        if sighting.isLate { continue }
        if number < newestState[sighting.sensor] ?? 0 {
          let moment = world.instant(of: sighting.at).nanoseconds / 1_000_000
          complain("\(sighting.sensor) goes back to \(number) at \(moment) ms")
        }
        newestState[sighting.sensor] = number
        continue
      }
      guard isNew else { continue }
      let newest = newestOfHistory[sighting.sensor] ?? 0
      if number < newest {
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
      if records.chunks[chunk].isClockTrusted,
        .seconds(errors.min() ?? 0) > Limits.trustedTimeError
      {
        complain(
          "the time of \(number) of \(reading.sensor) is said to be right and is wrong by"
            + " \(errors.min() ?? 0) s; it was made at"
            + " \(reading.times.map { $0.nanoseconds / 1_000_000 }) ms")
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
