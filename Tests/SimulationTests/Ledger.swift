import ModelDisk
import Bytes
@testable import Outbox
import Sensing

/// Keeps account of every reading and every promise, and complains where one is broken.
final class Ledger {
  /// One value of one sensor, as it was given to the agent; again where a later life read it again.
  struct Made {
    let sensor: String
    var times: [Instant]
    /// What the time really was.
    var trueTimes: [WallTime]
    /// When the agent was done with it: it is not asked for what it never got.
    private(set) var recordedTimes: [Instant] = []

    mutating func isRecorded() { if let time = times.last { recordedTimes.append(time) } }
  }

  struct MadeFix {
    let at: Instant
    /// When the board was there.
    let from: Instant
    var isRecorded = false
  }

  private enum Item {
    case reading(Int)
    case fix(Int)
  }

  struct End {
    let at: Instant
    let isPowerLoss: Bool
  }

  private let plan: DayPlan
  /// By the number that each value is.
  private(set) var made: [Int: Made] = [:]
  private(set) var fixes: [Int: MadeFix] = [:]
  private var underWay: Item?
  private(set) var ends: [End] = []
  private(set) var diskTroubles: [(from: Instant, to: Instant)] = []
  private(set) var repairedAt: Instant?
  private(set) var provenAt: Instant?
  private(set) var firstProofAfterRepair: Instant?
  private var sendingsWithoutProof: [Instant] = []
  private(set) var complaints: [String] = []
  /// What agents of the past have counted as lost.
  private(set) var losses = Spool.Losses()
  private var rejectedTokens: Set<[UInt8]> = []
  /// Whether the disk would not read something so often that it waits for the next start, and comes
  /// later than its time then.
  private(set) var hasUnreadSegment = false
  private(set) var sentCount = 0
  private(set) var provenCount = 0

  init(_ plan: DayPlan) { self.plan = plan }

  var isBroken: Bool { !complaints.isEmpty }

  func complain(_ words: String, at moment: Instant) {
    complaints.append("\(moment.nanoseconds / 1_000_000) ms: \(words)")
  }

  // MARK: What happens

  /// The agent is given a reading.
  func made(_ sensor: BoardSensor, at moment: Instant, trueTime: WallTime) {
    var entry = made[sensor.number] ?? Made(sensor: sensor.id, times: [], trueTimes: [])
    entry.times.append(moment)
    entry.trueTimes.append(trueTime)
    made[sensor.number] = entry
    underWay = .reading(sensor.number)
  }

  func made(_ fix: Fix, at moment: Instant, age: Duration) {
    let number = Board.fixNumber(longitude: fix.longitude)
    fixes[number] = MadeFix(at: moment, from: moment + (.zero - age))
    underWay = .fix(number)
  }

  /// It has done with it what it does with each before it looks at the next.
  func recorded() {
    switch underWay {
    case .reading(let number): made[number]?.isRecorded()
    case .fix(let number): fixes[number]?.isRecorded = true
    case nil: break
    }
    underWay = nil
  }

  func told(_ event: DeliveryEvent, isAnswerGenuine: Bool, at moment: Instant) {
    switch event {
    case .proven, .historyProven, .recovered:
      if !isAnswerGenuine { complain("a proof by an answer to another message", at: moment) }
    default: break
    }
    guard case .proven = event else { return }
    provenAt = moment
    provenCount += 1
    sendingsWithoutProof.removeAll(keepingCapacity: true)
    if repairedAt != nil, firstProofAfterRepair == nil { firstProofAfterRepair = moment }
  }

  /// The agent heard that its token is no good.
  func rejected(_ token: [UInt8]) { rejectedTokens.insert(token) }

  func sent(_ letter: Letter, at moment: Instant) {
    if let token = letter.token, rejectedTokens.contains(token) {
      complain("a rejected token is sent again", at: moment)
    }
    posted(at: moment)
  }

  func sentOverSocket(_ text: [UInt8], at moment: Instant) {
    for token in rejectedTokens where text.split(separator: UInt8(ascii: "\"")).contains(token[...])
    {
      complain("a rejected token is sent again over the WebSocket", at: moment)
    }
  }

  /// A message begins its way, over whichever.
  func posted(at moment: Instant) {
    sentCount += 1
    sendingsWithoutProof.append(moment)
    let begin = moment + (.zero - Limits.sendingsInterval)
    sendingsWithoutProof.removeAll { $0 < begin }
    if sendingsWithoutProof.count > Limits.sendingsWithoutProofMax {
      complain("\(sendingsWithoutProof.count) messages without a proof", at: moment)
    }
  }

  /// What it was to bring is on the disk, where that works.
  func cycleFailed(entryCountInMemory: Int, at moment: Instant) {
    guard plan.durability != .memory, entryCountInMemory > 0 else { return }
    complain("after a failed cycle \(entryCountInMemory) entries are in memory only", at: moment)
  }

  func diskChanged(_ condition: ModelDisk.Condition, at moment: Instant) {
    if condition == .healthy {
      guard let last = diskTroubles.last, last.to > moment else { return }
      diskTroubles[diskTroubles.count - 1].to = moment
    } else {
      diskTroubles.append((moment, Instant(nanoseconds: .max)))
    }
  }

  func repaired(at moment: Instant) {
    diskChanged(.healthy, at: moment)
    repairedAt = moment
  }

  func lost(_ agent: SimulatedAgent?, at moment: Instant, isPowerLoss: Bool) {
    ends.append(End(at: moment, isPowerLoss: isPowerLoss))
    if let agent { losses.add(agent.losses) }
  }

  /// After everything that happens.
  func look(at agent: SimulatedAgent?, now: Instant) {
    if let agent {
      if agent.losses.unreadableSegments > 0 { hasUnreadSegment = true }
      if agent.entryCountInMemory > Spool.memoryEntryCountMax {
        complain("\(agent.entryCountInMemory) entries in memory", at: now)
      }
      if agent.spoolByteCount > plan.spoolByteCountCap {
        complain("the spool takes \(agent.spoolByteCount) bytes", at: now)
      }
    }
    guard let repairedAt, firstProofAfterRepair == nil, now - repairedAt > Limits.proofAfterRepair
    else { return }
    complain("no proof for \(now - repairedAt) after all faults ended", at: now)
  }

  // MARK: What may be lost

  /// Whether the power or the process may have taken a reading of that moment away.
  func mayBeLost(madeAt moment: Instant) -> Bool {
    let last = lastDanger(madeAt: moment)
    return ends.contains { $0.at >= moment && $0.at <= last }
  }

  /// Until when a reading of that moment may be in memory only. What the disk does later, or does
  /// not read, takes nothing away.
  private func lastDanger(madeAt moment: Instant) -> Instant {
    let never = Instant(nanoseconds: .max)
    if plan.durability == .memory { return never }
    let batch = plan.every + Limits.batchIsOpenMax
    // With a promise for each reading it is on the disk before the next one.
    var last = plan.durability == .batch ? moment + batch : moment + .nanoseconds(-1)
    for trouble in diskTroubles where trouble.from <= max(last, moment) {
      if trouble.to == never { return never }
      let retried = trouble.to + Spool.longestRetryDelay
      if retried >= moment { last = max(last, retried + batch) }
    }
    return last
  }
}

extension Spool.Losses {
  mutating func add(_ other: Spool.Losses) {
    thinned += other.thinned
    dropped += other.dropped
    overflowed += other.overflowed
    damaged += other.damaged
    nameless += other.nameless
  }
}

/// How long things may take, and how often they may happen, from the machines' own limits.
enum Limits {
  /// The longest wait of an outage, and of a registration, and what their last attempts may take; a
  /// refusal (403 or another no) is not asked again for an hour.
  static let proofAfterRepair: Duration =
    Enrollment.refusalDelay + Delivery.longestRetryDelay + Enrollment.longestRetryDelay
    + Network.timeout + Network.timeout + .seconds(1200)
  /// What the README promises beside one cycle.
  static let batchIsOpenMax: Duration = .seconds(2)
  /// Seconds: a smaller step is not noticed, and the receiver may be so far away.
  static let trustedTimeError = 12.0
  static let sendingsInterval: Duration = .seconds(600)
  /// Ten attempts in that time over two routes, each with all that can be asked and told.
  static let sendingsWithoutProofMax = 240
}
