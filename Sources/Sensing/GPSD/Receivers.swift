import Bytes

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

  private(set) var all: [Receiver] = []
  /// Checksum of the path of the chosen receiver.
  private var chosen: UInt32?
  private var betterCount = 0
  /// Number of choices in a row in which the chosen receiver was silent.
  private var silentCount = 0
  /// The chosen fix.
  var fix: Fix?
  /// Last TPV of the chosen receiver, or of the best one that reported if the chosen one did not;
  /// nil if none did.
  private(set) var position: FixReport?

  init() { all.reserveCapacity(Self.countMax) }

  /// Receiver whose satellites count: the chosen one while it reports; nil for the first that sends
  /// some.
  var speaker: UInt32? { silentCount > Self.silentChoicesMax ? nil : chosen }

  /// Name of the receiver that was chosen last; nil while there is only one.
  var chosenName: InlineText? {
    guard all.count > 1 else { return nil }
    return all.first { $0.checksum == chosen }?.name
  }

  /// Whether a usable fix came since the last choice.
  var hasFix: Bool { all.contains { $0.fix != nil } }

  /// Whether there is a fix, and every receiver with a fix at the last choice has one again.
  var isComplete: Bool {
    hasFix && !all.contains { $0.isExpected && $0.fix == nil }
  }

  /// Returns the receiver that has sent the last line of `input`, a TPV.
  mutating func sender(of input: borrowing GPSDInput, now: Instant) -> Receiver {
    let path = input.part(input.line.device)
    let checksum = Receiver.checksum(of: path)
    if let known = all.first(where: { $0.checksum == checksum }) {
      known.heardAt = now
      return known
    }
    let receiver = Receiver(path, now: now)
    guard all.count == Self.countMax else {
      all.append(receiver)
      return receiver
    }
    var oldest = 0
    for index in all.indices where all[index].heardAt < all[oldest].heardAt { oldest = index }
    // The receiver that was silent for longest has gone.
    all[oldest] = receiver
    return receiver
  }

  /// Ends a cycle and starts the next. The newest fix of a receiver does not count if it is older
  /// than `lagMax` nanoseconds.
  mutating func choose(lagMax: Int64, now: Instant) -> Choice {
    var best: (receiver: Receiver, error: Double)?
    var kept: (receiver: Receiver, error: Double)?
    var lag: Int64?
    for receiver in all where receiver.fix != nil {
      let late = receiver.lag
      guard late <= lagMax else {
        lag = max(lag ?? 0, late)
        continue
      }
      let candidate = (receiver, receiver.errorMeters(now: now))
      if best.map({ candidate.1 < $0.error }) ?? true { best = candidate }
      if receiver.checksum == chosen { kept = candidate }
    }
    defer {
      takePosition()
      for receiver in all { receiver.cycleEnded() }
    }
    guard let best else { return lag.map { .behind($0) } ?? .nothing }
    let isFarBetter = kept.map { best.error * 2 < $0.error } ?? true
    betterCount = isFarBetter ? betterCount + 1 : 0
    if let kept, betterCount < Self.betterChoicesMax {
      fix = kept.receiver.fix
    } else {
      fix = best.receiver.fix
      chosen = best.receiver.checksum
      betterCount = 0
    }
    return .fix
  }

  private mutating func takePosition() {
    position = nil
    silentCount += 1
    for receiver in all {
      guard let other = receiver.position else { continue }
      if receiver.checksum == chosen {
        silentCount = 0
        position = other
        return
      }
      if position.map({ other.mode > $0.mode }) ?? true { position = other }
    }
  }

  /// Drops all reports, which belong to an earlier cycle.
  mutating func forgetReports() {
    for receiver in all { receiver.forgetReports() }
  }
}
