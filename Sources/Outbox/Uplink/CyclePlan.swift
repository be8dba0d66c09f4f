import Bytes

/// When the sources are asked, and when what they said is to go.
///
/// These are two paces: the sources are asked in each cycle, and an upload takes what several
/// cycles brought. Where no pace of uploads is set, each cycle ends with one.
struct CyclePlan {
  /// As the configuration has it.
  private let usual: Duration
  /// From one upload to the next; nil where there is one in each cycle.
  private let uploadInterval: Duration?
  /// What a command asked for, and until when; nil for ever.
  private var commanded: (every: Duration, until: Instant?)?
  private(set) var nextCycleAt: Instant
  /// When the last one began.
  private var cycleAt: Instant
  /// The first cycle at this moment or later ends with an upload.
  private var uploadAt: Instant
  /// The sources were asked, and one may wait for an answer.
  private var isSampling = false
  /// What they say goes with the end of this cycle.
  private(set) var isUploadDue = false
  /// A cycle was due before there was a registration, or before it was known whether this is home.
  private(set) var isOwed = false

  init(every: Duration, uploadEvery: Duration? = nil, now: Instant) {
    usual = every
    uploadInterval = uploadEvery
    nextCycleAt = now
    cycleAt = now
    uploadAt = now
  }

  /// From one cycle to the next.
  var every: Duration { commanded?.every ?? usual }

  /// When the next upload is due, if nothing urgent comes before; nil where each cycle ends with
  /// one.
  var nextUploadAt: Instant? { hasUploadPace ? max(uploadAt, nextCycleAt) : nil }

  /// Who asks for another interval wants to see it, and so each cycle ends with an upload.
  private var hasUploadPace: Bool { uploadInterval != nil && commanded == nil }

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
    isUploadDue = !hasUploadPace || now >= uploadAt
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
    if let uploadInterval { uploadAt = cycleAt + uploadInterval }
  }
}
