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
/// Among several the better one wins: three dimensions before two, then the smaller error, which
/// grows with the age. The receiver that was chosen stays so until another is better by far for a
/// while.
struct Receivers: ~Copyable {
  /// gpsd 3.22 has 4 devices, newer ones 6.
  static let countMax = 8
  /// Choices in a row in which another has to be better than the one that was chosen.
  static let betterChoicesMax = 3
  /// Choices in a row before which the chosen one may say nothing, and the others are not heard in
  /// its place.
  static let silentChoicesMax = 3
  /// What is taken for the error of a fix that has none.
  static let unknownErrorMeters = 100.0
  /// More than any error that counts.
  static let twoDimensionalErrorMeters = 1_000_000.0

  enum Choice: Equatable {
    /// It is `fix`.
    case fix
    /// The newest reports were made so many nanoseconds ago.
    case behind(Int64)
    case nothing
  }

  private struct Receiver {
    let path: ReceiverPath
    var filter = FixFilter()
    /// The newest that is usable, since the last choice.
    var fix: Fix?
    /// What else its newest report says, since the last choice.
    var state: ReceiverState?
    /// Whether it gave one before that choice.
    var isExpected = false
    var heardAt: Instant
  }

  private var all: [Receiver] = []
  /// The checksum of its path.
  private var chosen: UInt32?
  private var betterCount = 0
  /// How often in a row the chosen one had said nothing.
  private var silentCount = 0
  /// What was chosen.
  var fix: Fix?
  /// Of the one that was chosen, or of the best that reported where that one did not; nil where
  /// none did.
  private(set) var state: ReceiverState?
  /// Whether a usable fix came since the last choice.
  private(set) var hasFix = false

  init() { all.reserveCapacity(Self.countMax) }

  /// The receiver whose satellites count: the chosen one while it is there; nil for the first that
  /// speaks.
  var speaker: UInt32? { silentCount > Self.silentChoicesMax ? nil : chosen }

  /// What the receiver is called that was chosen last; nil while there is one alone.
  var chosenName: InlineText? {
    guard all.count > 1 else { return nil }
    for index in all.indices where all[index].path.checksum == chosen {
      return all[index].path.shown
    }
    return nil
  }

  /// Whether a fix is there, and no receiver that gave one last time is still silent.
  var isComplete: Bool {
    for index in all.indices where all[index].isExpected && all[index].fix == nil { return false }
    return hasFix
  }

  /// A report of this receiver was read. `isTrial` where older ones are to be read unless this one
  /// is a fix with the receiver's time: where it is none nothing changes, and nil is returned.
  mutating func reported(
    _ report: FixReport, by path: ReceiverPath, _ arrival: Arrival, isTrial: Bool
  ) -> FixFilter.Verdict? {
    let index = index(of: path, now: arrival.instant)
    all[index].state = ReceiverState(report)
    var filter = all[index].filter
    let verdict = filter.reported(report, arrival)
    // A misdated one has the clock of the board.
    if isTrial, verdict.fix?.clock != .receiver { return nil }
    all[index].filter = filter
    all[index].heardAt = arrival.instant
    // Some sentences of a receiver have a time, and some have none.
    if let fix = verdict.fix, fix.clock == .receiver || all[index].fix?.clock != .receiver {
      all[index].fix = fix
      hasFix = true
    }
    return verdict
  }

  private mutating func index(of path: ReceiverPath, now: Instant) -> Int {
    var oldest = 0
    for index in all.indices {
      if all[index].path.checksum == path.checksum { return index }
      if all[index].heardAt < all[oldest].heardAt { oldest = index }
    }
    let receiver = Receiver(path: path, heardAt: now)
    guard all.count == Self.countMax else {
      all.append(receiver)
      return all.count - 1
    }
    // The one that was silent for longest is gone.
    all[oldest] = receiver
    return oldest
  }

  /// Ends a cycle, and begins the next. A fix that is older than `lagMax` nanoseconds, and is the
  /// newest that its receiver said, does not count.
  mutating func choose(lagMax: Int64, now: Instant) -> Choice {
    var best: (index: Int, error: Double)?
    var kept: (index: Int, error: Double)?
    var lag: Int64?
    for index in all.indices where all[index].fix != nil {
      let late = all[index].filter.lag
      guard late <= lagMax else {
        lag = max(lag ?? 0, late)
        continue
      }
      let candidate = (index, error(at: index, now: now))
      if best.map({ candidate.1 < $0.error }) ?? true { best = candidate }
      if all[index].path.checksum == chosen { kept = candidate }
    }
    defer {
      takeState()
      for index in all.indices { all[index].isExpected = all[index].fix != nil }
      forgetFixes()
    }
    guard let best else { return lag.map { .behind($0) } ?? .nothing }
    let isFarBetter = kept.map { best.error * 2 < $0.error } ?? true
    betterCount = isFarBetter ? betterCount + 1 : 0
    if let kept, betterCount < Self.betterChoicesMax {
      fix = all[kept.index].fix
    } else {
      fix = all[best.index].fix
      chosen = all[best.index].path.checksum
      betterCount = 0
    }
    return .fix
  }

  private mutating func takeState() {
    state = nil
    silentCount += 1
    for index in all.indices {
      guard let other = all[index].state else { continue }
      if all[index].path.checksum == chosen {
        silentCount = 0
        state = other
        return
      }
      if state.map({ other.mode > $0.mode }) ?? true { state = other }
    }
  }

  /// What was reported so far is not of this cycle.
  mutating func forgetFixes() {
    for index in all.indices { (all[index].fix, all[index].state) = (nil, nil) }
    hasFix = false
  }

  /// In metres; a metre more for each second of its age.
  private func error(at index: Int, now: Instant) -> Double {
    guard let fix = all[index].fix else { return .infinity }
    let age = Double((now - fix.notBefore).nanoseconds) / 1e9
    return (fix.horizontalErrorMeters ?? Self.unknownErrorMeters) + age
      + (fix.mode == .twoDimensional ? Self.twoDimensionalErrorMeters : 0)
  }
}
