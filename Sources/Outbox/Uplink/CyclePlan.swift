import Bytes

/// When the sources are asked, and when what they said is to go.
///
/// These are two intervals: the sources are asked in each cycle, and an upload takes what several
/// cycles brought. Where no interval of uploads is set, each cycle ends with one. What the
/// configuration and the power policy say holds until a command asks for another cycle.
struct CyclePlan {
  /// How long a change that is urgent waits for sources that take their time.
  static let urgentWaitMax: Duration = .seconds(5)
  /// How long it waits between two cycles, such as a plug that is pulled for its battery.
  static let urgentWaitMaxBetweenCycles: Duration = .seconds(1)

  /// Of cycles and of uploads.
  struct Intervals: Equatable {
    let every: Duration
    /// From one upload to the next; nil where there is one in each cycle.
    let uploadEvery: Duration?

    init(every: Duration, uploadEvery: Duration? = nil) {
      self.every = every
      self.uploadEvery = uploadEvery.flatMap { $0 > every ? $0 : nil }
    }
  }

  /// As the configuration and the power policy have them.
  private var usual: Intervals
  /// What a command asked for, and until when; nil for ever.
  private var commanded: (every: Duration, until: Instant?)?
  private(set) var nextCycleAt: Instant
  /// When the last one began.
  private var cycleAt: Instant
  /// The cycle at whose end the last upload began; nil before the first one.
  private var uploadedAt: Instant?
  /// The sources were asked, and one may wait for an answer.
  private var isSampling = false
  /// Since when a source waits for an answer.
  private var gatheringSince: Instant?
  /// What they say goes with the end of this cycle.
  private(set) var isUploadDue = false
  /// A cycle was due before there was a registration, or before it was known whether this is home.
  private(set) var isOwed = false

  init(_ intervals: Intervals, now: Instant) {
    usual = intervals
    nextCycleAt = now
    cycleAt = now
  }

  /// From one cycle to the next.
  var every: Duration { intervals.every }

  /// Who asks for another cycle wants to see it, and so each one ends with an upload.
  private var intervals: Intervals { commanded.map { Intervals(every: $0.every) } ?? usual }

  /// When the next upload is due, if nothing urgent comes before; nil where each cycle ends with
  /// one.
  var nextUploadAt: Instant? { uploadAt.map { max($0, nextCycleAt) } }

  /// The first cycle at this moment or later ends with an upload; nil where each one does.
  private var uploadAt: Instant? {
    intervals.uploadEvery.map { interval in uploadedAt.map { $0 + interval } ?? cycleAt }
  }

  /// Until when a change that is urgent waits for the sources; nil where none is asked.
  var urgentWaitEnd: Instant? {
    if isSampling { return cycleAt + Self.urgentWaitMax }
    return gatheringSince.map { $0 + Self.urgentWaitMaxBetweenCycles }
  }

  /// - Parameters:
  ///   - isGathering: whether a source waits for an answer.
  ///   - now: the moment of now.
  mutating func sourcesLookedAt(isGathering: Bool, now: Instant) {
    gatheringSince = isGathering ? gatheringSince ?? now : nil
  }

  /// The configuration, or the power policy, has others from now on. The cycle that is under way
  /// becomes longer or shorter.
  mutating func usualChanged(to intervals: Intervals, now: Instant) {
    guard intervals != usual else { return }
    usual = intervals
    guard commanded == nil else { return }
    nextCycleAt = max(cycleAt + every, now)
  }

  /// - Parameters:
  ///   - every: nil for what the configuration has.
  ///   - until: when that holds again; nil for never.
  ///   - now: when the next cycle is due.
  mutating func setInterval(_ every: Duration?, until: Instant?, now: Instant) {
    commanded = every.map { ($0, until) }
    // At once: what the sources do between two cycles depends on how far apart they are.
    nextCycleAt = now
  }

  /// The sources are to be asked before their time. Returns whether they are; else they are being
  /// asked already.
  mutating func sampleWanted(now: Instant) -> Bool {
    guard !isSampling else { return false }
    isSampling = true
    planNextCycle(after: now)
    return true
  }

  /// The time of a command ends with a cycle.
  private mutating func planNextCycle(after moment: Instant) {
    cycleAt = moment
    nextCycleAt = earliest(moment + every, commanded?.until) ?? moment + every
  }

  /// Returns whether the sources are to be asked.
  mutating func deadlineReached(now: Instant) -> Bool {
    guard now >= nextCycleAt else { return false }
    isSampling = true
    if let until = commanded?.until, now >= until { commanded = nil }
    isUploadDue = uploadAt.map { now >= $0 } ?? true
    planNextCycle(after: nextCycleAt)
    // After a suspension the cycles that were slept through are not made up for.
    if nextCycleAt <= now { planNextCycle(after: now) }
    return true
  }

  /// No source waits for anything. Returns whether a cycle ends with that.
  mutating func sourcesReady() -> Bool {
    defer { isSampling = false }
    return isSampling
  }

  /// What this cycle brings is not to wait for the next upload.
  mutating func uploadWanted() { isUploadDue = true }

  /// An upload cannot begin now, and is made up for.
  mutating func postponed() { isOwed = true }

  /// An upload begins. The next one is due an interval later, whatever this one is for; counted
  /// from the last cycle, so that a source that is slow puts off none.
  mutating func uploadBegins() {
    isOwed = false
    isUploadDue = false
    uploadedAt = cycleAt
  }
}
