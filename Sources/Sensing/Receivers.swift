import Bytes

/// Identity of a receiver: the path of its device.
struct ReceiverPath {
  /// Checksum of the whole path, which may be longer than `shown`.
  let checksum: UInt32
  let shown: InlineText

  init(_ path: Span<UInt8>) {
    var checksum = CRC32C()
    checksum.update(path)
    self.checksum = checksum.value
    shown = InlineText(path)
  }
}

/// The receivers of one gpsd, and the choice of the fix for a cycle.
///
/// The newest usable fix of each receiver counts, whatever it or the others report later. The best
/// of them wins: three dimensions before two, then the smaller error, which grows with the age. The
/// chosen receiver remains chosen until another is far better for several choices in a row.
struct Receivers: ~Copyable {
  /// gpsd 3.22 has 4 devices, newer ones 6.
  static let countMax = 8
  /// Number of choices in a row in which another receiver has to be far better.
  static let betterChoicesMax = 3
  /// Number of choices in a row for which the chosen receiver may be silent before another one's
  /// satellites count.
  static let silentChoicesMax = 3
  /// Error assumed for a fix that has none.
  static let unknownErrorMeters = 100.0
  /// Penalty of a two-dimensional fix: more than any error that counts.
  static let twoDimensionalErrorMeters = 1_000_000.0

  enum Choice: Equatable {
    /// The choice is `fix`.
    case fix
    /// The newest reports are this many nanoseconds old.
    case behind(Int64)
    case nothing
  }

  private struct Receiver {
    let path: ReceiverPath
    var filter = FixFilter()
    /// Newest usable fix since the last choice.
    var fix: Fix?
    /// Other values of its newest report since the last choice.
    var state: ReceiverState?
    /// Whether it had a fix at the last choice.
    var isExpected = false
    var heardAt: Instant
  }

  private var all: [Receiver] = []
  /// Checksum of the path of the chosen receiver.
  private var chosen: UInt32?
  private var betterCount = 0
  /// Number of choices in a row in which the chosen receiver was silent.
  private var silentCount = 0
  /// The chosen fix.
  var fix: Fix?
  /// State of the chosen receiver, or of the best one that reported if the chosen one did not; nil
  /// if none did.
  private(set) var state: ReceiverState?
  /// Whether a usable fix came since the last choice.
  private(set) var hasFix = false

  init() { all.reserveCapacity(Self.countMax) }

  /// Receiver whose satellites count: the chosen one while it reports; nil for the first that sends
  /// some.
  var speaker: UInt32? { silentCount > Self.silentChoicesMax ? nil : chosen }

  /// Name of the receiver that was chosen last; nil while there is only one.
  var chosenName: InlineText? {
    guard all.count > 1 else { return nil }
    for index in all.indices where all[index].path.checksum == chosen {
      return all[index].path.shown
    }
    return nil
  }

  /// Whether there is a fix, and every receiver with a fix at the last choice has one again.
  var isComplete: Bool {
    for index in all.indices where all[index].isExpected && all[index].fix == nil { return false }
    return hasFix
  }

  /// Records a report of this receiver. With `isTrial`, a report that is not a fix with the
  /// receiver's time changes nothing and returns nil: the caller then reads the older reports.
  mutating func reported(
    _ report: FixReport, by path: ReceiverPath, _ arrival: Arrival, isTrial: Bool
  ) -> FixFilter.Verdict? {
    let index = index(of: path, now: arrival.instant)
    all[index].state = ReceiverState(report)
    var filter = all[index].filter
    let verdict = filter.reported(report, arrival)
    // A misdated fix has the clock of the board.
    if isTrial, verdict.fix?.clock != .receiver { return nil }
    all[index].filter = filter
    all[index].heardAt = arrival.instant
    // Some sentences of a receiver have a time, others do not.
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
    // The receiver that was silent for longest has gone.
    all[oldest] = receiver
    return oldest
  }

  /// Ends a cycle and starts the next. The newest fix of a receiver does not count if it is older
  /// than `lagMax` nanoseconds.
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

  /// Drops all reports, which belong to an earlier cycle.
  mutating func forgetFixes() {
    for index in all.indices { (all[index].fix, all[index].state) = (nil, nil) }
    hasFix = false
  }

  /// Returns the error in metres, plus one metre for each second of age.
  private func error(at index: Int, now: Instant) -> Double {
    guard let fix = all[index].fix else { return .infinity }
    let age = Double((now - fix.notBefore).nanoseconds) / 1e9
    return (fix.horizontalErrorMeters ?? Self.unknownErrorMeters) + age
      + (fix.mode == .twoDimensional ? Self.twoDimensionalErrorMeters : 0)
  }
}
