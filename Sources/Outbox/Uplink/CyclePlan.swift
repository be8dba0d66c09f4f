import Bytes

/// Schedule of the reading of sources and of the uploads.
///
/// These are two intervals: the sources are read in each cycle, and an upload sends the readings of
/// several cycles. Without an upload interval each cycle ends with an upload. The configuration and
/// the power policy apply until a command sets another interval.
struct CyclePlan {
  /// Maximum delay of an urgent change for slow sources.
  static let urgentWaitMax: Duration = .seconds(5)
  /// Maximum delay between two cycles, such as of an unplugged supply for the battery's values.
  static let urgentWaitMaxBetweenCycles: Duration = .seconds(1)

  /// Intervals of cycles and of uploads.
  struct Intervals: Equatable {
    let every: Duration
    /// Interval of uploads; nil if each cycle ends with one.
    let uploadEvery: Duration?

    init(every: Duration, uploadEvery: Duration? = nil) {
      self.every = every
      self.uploadEvery = uploadEvery.flatMap { $0 > every ? $0 : nil }
    }
  }

  /// Intervals of the configuration and the power policy.
  private var usual: Intervals
  /// Interval set by a command, and its end; nil without an end.
  private var commanded: (every: Duration, until: Instant?)?
  private(set) var nextCycleAt: Instant
  /// Beginning of the last cycle.
  private var cycleAt: Instant
  /// Beginning of the cycle whose end began the last upload; nil before the first upload.
  private var uploadedAt: Instant?
  /// Whether the sources are being read, and one may wait for an answer.
  private var isSampling = false
  /// Time since which a source waits for an answer.
  private var gatheringSince: Instant?
  /// Whether this cycle ends with an upload.
  private(set) var isUploadDue = false
  /// Whether an upload became due before the registration or the presence was known.
  private(set) var isOwed = false

  init(_ intervals: Intervals, now: Instant) {
    usual = intervals
    nextCycleAt = now
    cycleAt = now
  }

  var every: Duration { intervals.every }

  /// Interval that a command has set; nil without one.
  var commandedEvery: Duration? { commanded?.every }

  /// Present intervals. A person who sets an interval wants to see it: each cycle then uploads.
  private var intervals: Intervals { commanded.map { Intervals(every: $0.every) } ?? usual }

  /// Time of the next upload without an urgent change; nil if each cycle ends with one.
  var nextUploadAt: Instant? { uploadAt.map { max($0, nextCycleAt) } }

  /// Time from which the next cycle ends with an upload; nil if each one does.
  private var uploadAt: Instant? {
    intervals.uploadEvery.map { interval in uploadedAt.map { $0 + interval } ?? cycleAt }
  }

  /// End of an urgent change's delay for the sources; nil if no source is being read.
  var urgentWaitEnd: Instant? {
    if isSampling { return cycleAt + Self.urgentWaitMax }
    return gatheringSince.map { $0 + Self.urgentWaitMaxBetweenCycles }
  }

  /// Records whether a source waits for an answer.
  mutating func sourcesLookedAt(isGathering: Bool, now: Instant) {
    gatheringSince = isGathering ? gatheringSince ?? now : nil
  }

  /// Changes the intervals of the configuration or the power policy, including the present cycle.
  mutating func usualChanged(to intervals: Intervals, now: Instant) {
    guard intervals != usual else { return }
    usual = intervals
    guard commanded == nil else { return }
    nextCycleAt = max(cycleAt + every, now)
  }

  /// Sets the interval of cycles, without an end if `until` is nil; a nil `every` restores the
  /// configured one.
  mutating func setInterval(_ every: Duration?, until: Instant?, now: Instant) {
    commanded = every.map { ($0, until) }
    // At once: the activity of the sources between two cycles depends on the interval.
    nextCycleAt = now
  }

  /// Begins a cycle early. Returns false if the sources are being read already.
  mutating func sampleWanted(now: Instant) -> Bool {
    guard !isSampling else { return false }
    isSampling = true
    planNextCycle(after: now)
    return true
  }

  /// Plans the next cycle, at the latest at the end of a command's interval.
  private mutating func planNextCycle(after moment: Instant) {
    cycleAt = moment
    nextCycleAt = earliest(moment + every, commanded?.until) ?? moment + every
  }

  /// Returns whether the sources must be read.
  mutating func deadlineReached(now: Instant) -> Bool {
    guard now >= nextCycleAt else { return false }
    isSampling = true
    if let until = commanded?.until, now >= until { commanded = nil }
    isUploadDue = uploadAt.map { now >= $0 } ?? true
    planNextCycle(after: nextCycleAt)
    // Cycles during a suspension are not made up for.
    if nextCycleAt <= now { planNextCycle(after: now) }
    return true
  }

  /// Handles the end of the sources' answers. Returns whether it ends a cycle.
  mutating func sourcesReady() -> Bool {
    defer { isSampling = false }
    return isSampling
  }

  /// Makes this cycle end with an upload.
  mutating func uploadWanted() { isUploadDue = true }

  /// Records that an upload cannot begin now and is owed.
  mutating func postponed() { isOwed = true }

  /// Begins an upload. The next regular one is due an interval after the beginning of the last
  /// cycle, so that a slow source does not delay it. During a cycle, an urgent one does not replace
  /// the cycle's own, which has the answers of the slow sources.
  mutating func uploadBegins() {
    isOwed = false
    if !isSampling { isUploadDue = false }
    uploadedAt = cycleAt
  }
}
