import Bytes

/// Which receiver it is: the path of its device.
struct ReceiverPath {
  /// Of the whole path, which may be longer than what is shown.
  let checksum: UInt32
  let shown: InlineText

  init(_ path: Span<UInt8>) {
    var checksum = CRC32C()
    checksum.update(path)
    self.checksum = checksum.value
    shown = InlineText(path)
  }
}

/// The receivers of one gpsd, and which of their fixes a cycle takes.
///
/// The newest usable fix of each counts, whatever the others say and whatever it says itself later.
/// Among several the better one wins: three dimensions before two, then the smaller error, then the
/// younger one. The receiver that was chosen stays so until another is better by far for a while.
struct Receivers: ~Copyable {
  /// gpsd 3.22 has 4 devices, newer ones 6.
  static let countMax = 8
  /// Choices in a row in which another has to be better than the one that was chosen.
  static let betterChoicesMax = 3
  /// What is taken for the error of a fix that has none.
  static let unknownErrorMeters = 100.0

  enum Choice: Equatable {
    /// It is `fix`.
    case fix
    /// The newest reports were made so long ago.
    case behind(Duration)
    case nothing
  }

  // A class, for a struct of this size is copied out of the array at each use, which is code.
  private final class Receiver {
    let path: ReceiverPath
    var judge = FixJudge()
    /// The newest that is usable, since the last choice.
    var fix: Fix?
    /// Whether it gave one before that choice.
    var isExpected = false
    var heardAt: Instant

    init(path: ReceiverPath, heardAt: Instant) {
      self.path = path
      self.heardAt = heardAt
    }
  }

  private var all: [Receiver] = []
  private var chosen: UInt32?
  private var betterCount = 0
  /// What was chosen.
  var fix: Fix?

  init() { all.reserveCapacity(Self.countMax) }

  /// What the receiver is called that was chosen last; nil while there is one alone.
  var chosenName: InlineText? {
    all.count > 1 ? all.first { $0.path.checksum == chosen }?.path.shown : nil
  }

  /// Whether a fix is there, and no receiver that gave one last time is still silent.
  var isComplete: Bool {
    hasFix && !all.contains { $0.isExpected && $0.fix == nil }
  }

  var hasFix: Bool { all.contains { $0.fix != nil } }

  /// A report of this receiver was read.
  mutating func reported(
    _ report: FixReport, by path: ReceiverPath, _ arrival: Arrival
  ) -> FixJudge.Verdict {
    let index = index(of: path, now: arrival.instant)
    let verdict = all[index].judge.reported(report, arrival)
    all[index].heardAt = arrival.instant
    switch verdict {
    case .usable(let fix), .misdated(let fix, _):
      // Some sentences of a receiver have a time, and some have none.
      if fix.clock == .receiver || all[index].fix?.clock != .receiver { all[index].fix = fix }
    case .noFix, .rejected: break
    }
    return verdict
  }

  private mutating func index(of path: ReceiverPath, now: Instant) -> Int {
    if let index = all.firstIndex(where: { $0.path.checksum == path.checksum }) { return index }
    let receiver = Receiver(path: path, heardAt: now)
    guard all.count == Self.countMax else {
      all.append(receiver)
      return all.count - 1
    }
    // The one that was silent for longest is gone.
    var oldest = 0
    for index in all.indices where all[index].heardAt < all[oldest].heardAt { oldest = index }
    all[oldest] = receiver
    return oldest
  }

  /// Ends a cycle, and begins the next. A fix that was read when it was older than `lagMax` counts
  /// only where its receiver has said since that it has none any more.
  mutating func choose(lagMax: Duration) -> Choice {
    defer { forgetFixes() }
    guard let best = best(lagMax: lagMax) else {
      var lag: Duration?
      for receiver in all where receiver.fix != nil {
        if let late = receiver.judge.lag { lag = max(lag ?? late, late) }
      }
      return lag.map { .behind($0) } ?? .nothing
    }
    let index = keptIndex(instead: best, lagMax: lagMax)
    chosen = all[index].path.checksum
    fix = all[index].fix
    return .fix
  }

  /// What was reported so far is not of this cycle.
  mutating func forgetFixes() {
    for index in all.indices {
      all[index].isExpected = all[index].fix != nil
      all[index].fix = nil
    }
  }

  private func isCandidate(_ index: Int, lagMax: Duration) -> Bool {
    all[index].fix != nil && (all[index].judge.lag ?? .zero) <= lagMax
  }

  private func best(lagMax: Duration) -> Int? {
    var best: Int?
    for index in all.indices where isCandidate(index, lagMax: lagMax) {
      guard let other = best else {
        best = index
        continue
      }
      if isBetter(index, than: other) { best = index }
    }
    return best
  }

  /// The receiver that was chosen, unless the best is so for a while.
  private mutating func keptIndex(instead best: Int, lagMax: Duration) -> Int {
    guard let kept = all.firstIndex(where: { $0.path.checksum == chosen }), kept != best,
      isCandidate(kept, lagMax: lagMax),
      betterCount + 1 < Self.betterChoicesMax || !isFarBetter(best, than: kept)
    else {
      betterCount = 0
      return best
    }
    betterCount = isFarBetter(best, than: kept) ? betterCount + 1 : 0
    return kept
  }

  private func isBetter(_ index: Int, than other: Int) -> Bool {
    guard let one = all[index].fix, let two = all[other].fix else { return false }
    if one.mode != two.mode { return one.mode == .threeDimensional }
    let errors = (Self.error(of: one), Self.error(of: two))
    return errors.0 == errors.1 ? one.notBefore > two.notBefore : errors.0 < errors.1
  }

  /// By a dimension, or by half of the error.
  private func isFarBetter(_ index: Int, than other: Int) -> Bool {
    guard let one = all[index].fix, let two = all[other].fix else { return false }
    if one.mode != two.mode { return one.mode == .threeDimensional }
    return Self.error(of: one) * 2 < Self.error(of: two)
  }

  private static func error(of fix: Fix) -> Double {
    fix.horizontalErrorMeters ?? unknownErrorMeters
  }
}
