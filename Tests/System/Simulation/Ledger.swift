import Bytes
import HomeAssistant
import ModelDisk
import Sensing

@testable import Outbox

/// Keeps account of every reading and every promise, and complains where one is broken.
final class Ledger {
  /// One value of one sensor, as it was given to the agent; again where a later life read it again.
  struct Made {
    let sensor: String
    var times: [Instant]
    /// What the time really was.
    var trueTimes: [WallTime]
    /// When each life of the agent was done with it the first time: it is not asked for what it
    /// never got, and a value that is none but the last is no news to it.
    private(set) var recorded: [Int: Instant] = [:]

    mutating func isRecorded(in life: Int) {
      if let time = times.last, recorded[life] == nil { recorded[life] = time }
    }
  }

  struct MadeFix {
    let at: Instant
    /// When the board was there.
    let from: Instant
    /// In which life the agent was done with it.
    var recordedIn: Int?
  }

  struct End {
    let at: Instant
    let isPowerLoss: Bool
  }

  private let plan: DayPlan
  let witness: SpoolWitness
  var hours: MeasuredHours
  /// By the number that each value is.
  private(set) var made: [Int: Made] = [:]
  private(set) var fixes: [Int: MadeFix] = [:]
  private var underWay: RecordedEntry.Item?
  private(set) var ends: [End] = []
  private(set) var diskTroubles: [(from: Instant, to: Instant)] = []
  private(set) var repairedAt: Instant?
  private(set) var firstProofAfterRepair: Instant?
  private var sendingsWithoutProof: [Instant] = []
  private(set) var complaints: [String] = []
  /// What agents of the past have counted as lost.
  private(set) var losses = Spool.Losses()
  /// With the moment of the last rejection.
  private var rejectedTokens: [[UInt8]: Instant] = [:]
  /// How often something let one chunk come again.
  private(set) var repetitionCauses = 0

  init(_ plan: DayPlan, _ disk: ModelDisk) {
    self.plan = plan
    witness = SpoolWitness(disk, plan)
    hours = MeasuredHours(every: plan.every)
  }

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
    hours.sampled(sensor, at: trueTime)
    underWay = .reading(sensor.number)
  }

  func made(_ fix: Fix, at moment: Instant, age: Duration) {
    let number = Board.fixNumber(longitude: fix.longitude)
    fixes[number] = MadeFix(at: moment, from: moment + (.zero - age))
    underWay = .fix(number)
  }

  /// It has done with it what it does with each before it looks at the next.
  func recorded(in life: Int) {
    switch underWay {
    case .reading(let number): made[number]?.isRecorded(in: life)
    case .fix(let number): fixes[number]?.recordedIn = life
    case nil: break
    }
    underWay = nil
  }

  func told(
    _ event: DeliveryEvent, isAnswerGenuine: Bool, at moment: Instant, trueTime: WallTime
  ) {
    switch event {
    case .routeFailed: mayComeAgain()
    case .outage:
      mayComeAgain()
      hours.reachChanged(false, at: trueTime)
    case .proven, .historyProven, .recovered:
      if !isAnswerGenuine { complain("a proof by an answer to another message", at: moment) }
    default: break
    }
    guard case .proven = event else { return }
    hours.reachChanged(true, at: trueTime)
    sendingsWithoutProof.removeAll(keepingCapacity: true)
    if repairedAt != nil, firstProofAfterRepair == nil { firstProofAfterRepair = moment }
  }

  /// An attempt was not proven, or something else lets the chunk under way come again.
  func mayComeAgain() { repetitionCauses += 1 }

  /// The agent heard that its token is no good.
  func rejected(_ token: [UInt8], at moment: Instant) { rejectedTokens[token] = moment }

  /// Over plain HTTP another machine may have said it, so that it is sent again in the end.
  private func mayNotShow(_ token: [UInt8], at moment: Instant) -> Bool {
    rejectedTokens[token].map { moment - $0 < RejectedTokens.waits[0] - .seconds(1) } ?? false
  }

  func sent(_ letter: Letter, at moment: Instant) {
    if let token = letter.token, mayNotShow(token, at: moment) {
      complain("a rejected token is sent again", at: moment)
    }
    posted(at: moment)
  }

  func sentOverSocket(_ text: [UInt8], at moment: Instant) {
    for token in rejectedTokens.keys
    where mayNotShow(token, at: moment)
      && text.split(separator: UInt8(ascii: "\"")).contains(token[...])
    {
      complain("a rejected token is sent again over the WebSocket", at: moment)
    }
  }

  /// A message begins its way, over whichever.
  func posted(at moment: Instant) {
    sendingsWithoutProof.append(moment)
    let begin = moment + (.zero - Limits.sendingsInterval)
    sendingsWithoutProof.removeAll { $0 < begin }
    if sendingsWithoutProof.count > Limits.sendingsWithoutProofMax(plan) {
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
    guard let agent else { return }
    losses.add(agent.spool.losses)
    witness.agentEnded(agent.spool, life: agent.life, at: moment)
  }

  /// After everything that happens.
  func look(at agent: SimulatedAgent?, now: Instant) {
    for complaint in witness.takeComplaints() { complain(complaint, at: now) }
    if let agent {
      if agent.spool.entryCountInMemory > Spool.memoryEntryCountMax {
        complain("\(agent.spool.entryCountInMemory) entries in memory", at: now)
      }
    }
    guard let repairedAt, firstProofAfterRepair == nil,
      now - repairedAt > Limits.proofAfterRepair(plan)
    else { return }
    complain("no proof for \(now - repairedAt) after all faults ended", at: now)
  }

  // MARK: What may be lost

  /// Whether what an entry was recorded for may be lost by what took it.
  func mayBeLost(_ entry: RecordedEntry, recordedAt moment: Instant) -> Bool {
    switch witness.causes[entry] {
    case nil: false
    case .agentEnded(let end): end <= lastDanger(madeAt: moment)
    case .overflowed, .dropped, .unread: true
    }
  }

  /// Until when a reading of that moment may be in memory only. What the disk does later, or does
  /// not read, takes nothing away.
  private func lastDanger(madeAt moment: Instant) -> Instant {
    let never = Instant(nanoseconds: .max)
    if plan.durability == .memory { return never }
    let batch = longestWait + Delivery.proofTimeout
    // With a promise for each reading it is on the disk before the next one.
    var last = plan.durability == .batch ? moment + batch : moment + .nanoseconds(-1)
    for trouble in diskTroubles where trouble.from <= max(last, moment) {
      if trouble.to == never { return never }
      let retried = trouble.to + Spool.longestRetryDelay
      if retried >= moment { last = max(last, retried + batch) }
    }
    return last
  }

  /// From a reading to the upload that takes it, or to the cycle that writes it before.
  private var longestWait: Duration {
    guard let uploadEvery = plan.settings.uploadEvery else { return plan.every }
    return min(uploadEvery, Delivery.unwrittenMax + plan.every * 2)
  }
}

extension Spool.Losses {
  mutating func add(_ other: Spool.Losses) {
    dropped += other.dropped
    overflowed += other.overflowed
    damaged += other.damaged
    unreadable += other.unreadable
    nameless += other.nameless
  }
}

/// How long things may take, and how often they may happen, from the machines' own limits.
enum Limits {
  /// The longest wait of an outage, and of a registration, and what their last attempts may take; a
  /// refusal (403 or another no) is asked again ever more rarely. The registration may be doubted
  /// only then, and nothing is sent before a cycle is due.
  static func proofAfterRepair(_ plan: DayPlan) -> Duration {
    Enrollment.longestRefusalDelay + Delivery.longestRetryDelay + Enrollment.longestRetryDelay
      + Network.timeout + Network.timeout + (plan.registersAgainAfter ?? .zero) + plan.every
  }

  /// A smaller step is not noticed, and the receiver may be so far away.
  static let trustedTimeError = ClockMonitor.smallestStep + ClockMonitor.agreement

  /// The longest time that `sendingsWithoutProofMax` is asked of.
  static let sendingsInterval: Duration = .seconds(600)

  /// Every attempt fails at its last message, over each route.
  static func sendingsWithoutProofMax(_ plan: DayPlan) -> Int {
    let routeCount = [plan.knowsHome, plan.hasCloudhook, plan.hasRemoteUI].count { $0 } + 1
    // The key, the configuration, the device, the sensors, the location and how it is looked up,
    // the states, a chunk of history; and a token and a registration, which have one way only.
    let messageCount = plan.sensorCount + 7
    return attemptsMax * (routeCount * messageCount + 2)
  }

  /// Attempts whose waits fit into the interval: a wait is three quarters of its step at least.
  private static var attemptsMax: Int {
    var (count, step, passed) = (1, Delivery.firstRetryDelay, Duration.zero)
    while passed < sendingsInterval {
      passed += step * 3 / 4
      step = min(step + step, Delivery.longestRetryDelay)
      count += 1
    }
    return count
  }
}
