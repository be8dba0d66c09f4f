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

  /// Whether reports may still come that add to the fix of the chosen receiver, or before the first
  /// choice, of one. `isLikely` says whether a receiver may send several reports of one time if
  /// that is unknown.
  func isPartial(ifUnknown isLikely: Bool, now: Instant) -> Bool {
    all.contains { mayBeChosen($0) && $0.isPartial(ifUnknown: isLikely, now: now) }
  }

  /// Whether the cycle is complete, and the chosen receiver, or before the first choice, one, has
  /// begun the next epoch: no report will add to its fix.
  var isPast: Bool {
    isComplete && all.contains { mayBeChosen($0) && $0.isPast }
  }

  private func mayBeChosen(_ receiver: Receiver) -> Bool {
    (chosen ?? receiver.checksum) == receiver.checksum
  }

  /// Returns the receiver that has sent the last line of `input`, a TPV.
  mutating func sender(of input: borrowing GPSDInput, now: Instant) -> Receiver {
    let checksum = input.line.sender
    if let known = all.first(where: { $0.checksum == checksum }) {
      known.heardAt = now
      return known
    }
    let receiver = Receiver(input.part(input.line.device), now: now)
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

/// A receiver of gpsd, and its reports since the last choice.
///
/// Of the TPVs that come together only one is read, because it replaces the others: the last one
/// of the greatest worth. Of TPVs with the same time, which are an epoch, the richest counts: three
/// dimensions before two, then the longest, then the first. If it comes after another one was read,
/// it adds the fields that the fix lacks.
///
/// A TPV that is read and rejected costs a cycle; then every TPV is read, for as long as some are
/// rejected.
final class Receiver {
  /// Checksum of the path of the device.
  let checksum: UInt32
  let name: InlineText
  /// Instant of the last report.
  var heardAt: Instant
  /// Newest usable fix since the last choice.
  private(set) var fix: Fix?
  /// Time of the fix by the receiver, even if its date is impossible; nil if it has none.
  private var epoch: WallTime?
  /// Whether the last epoch that was read whole had several TPVs; nil if none was.
  private var comesInParts: Bool?
  /// TPV that was read last since the last choice, or the better one of its epoch.
  private(set) var position: FixReport?
  /// Whether it had a fix at the last choice.
  private(set) var isExpected = false
  /// Whether a report was rejected before the last choice, so that each of them is read.
  private(set) var isDoubted = false

  private var kept = KeptTPV()
  private var filter = FixFilter()
  private var hasRejected = false

  init(_ path: Span<UInt8>, now: Instant) {
    checksum = CRC32C(of: path).value
    name = InlineText(path)
    heardAt = now
  }

  /// Whether a TPV was kept and not read since.
  var hasUnread: Bool { kept.isUnread }

  /// Age of the newest report when it was read, in nanoseconds.
  var lag: Int64 { filter.lag }

  /// Keeps a TPV with its time at `time`, if it replaces the kept one. Returns whether it begins an
  /// epoch: it has another time than the kept one.
  func keep(_ line: Span<UInt8>, time: Range<Int>, _ worth: GPSDLine.Worth) -> Bool {
    // A cycle that has its fix at once reads no further in an epoch.
    let wasAlone = kept.isAlone && (kept.isUnread || fix?.isWhole == false)
    let isNew = kept.replace(line, time: time, worth)
    if !isNew {
      comesInParts = true
    } else if wasAlone, !time.isEmpty {
      comesInParts = false
    }
    return isNew
  }

  /// Whether TPVs may still come that add to the fix: those of an epoch come together.
  func isPartial(ifUnknown isLikely: Bool, now: Instant) -> Bool {
    guard comesInParts ?? isLikely, epoch != nil, let fix, !fix.isWhole else { return false }
    return now - fix.notBefore < GPSDSession.othersTimeout
  }

  /// Whether the kept TPV is the first of the epoch after that of the fix. It may lack what the fix
  /// has: of a receiver with several TPVs per epoch it does not replace the fix.
  var isPast: Bool { comesInParts == true && epoch != nil && kept.isUnread && kept.isAlone }

  /// Reads the kept TPV.
  func readKept(_ reader: GPSDReader, _ arrival: Arrival) -> FixFilter.Verdict {
    guard let report = kept.read(reader)?.fix else {
      hasRejected = true
      return .rejected(.unreadable)
    }
    let verdict = filter.reported(report, arrival)
    if case .rejected(let flaw) = verdict, flaw != .notNewer || !kept.isEcho { hasRejected = true }
    if let epoch, report.time == epoch {
      if case .rejected(.notNewer) = verdict { fix?.add(report, arrival) }
      if report.mode >= position?.mode ?? 0 { position = report }
      return verdict
    }
    position = report
    // Some sentences of a receiver have a time, others do not.
    if let fix = verdict.fix, fix.clock == .receiver || self.fix?.clock != .receiver {
      (self.fix, epoch) = (fix, report.time)
    }
    return verdict
  }

  func cycleEnded() {
    isExpected = fix != nil
    (isDoubted, hasRejected) = (hasRejected, false)
    (fix, epoch, position) = (nil, nil, nil)
  }

  func forgetReports() {
    (fix, epoch, position) = (nil, nil, nil)
    kept.forget()
  }

  /// Returns the error of the fix in metres, plus one metre for each second of age.
  func errorMeters(now: Instant) -> Double {
    guard let fix else { return .infinity }
    let age = Double((now - fix.notBefore).nanoseconds) / 1e9
    return (fix.horizontalErrorMeters ?? Receivers.unknownErrorMeters) + age
      + (fix.mode == .twoDimensional ? Receivers.twoDimensionalErrorMeters : 0)
  }
}

/// The TPV of a receiver that is read next, or was read last.
private struct KeptTPV: ~Copyable {
  private var line = ByteBuffer(capacity: GPSDSession.reportByteCountMax)
  private var worth = GPSDLine.Worth.noFix
  /// Range of its time; empty if it has none.
  private var time = 0..<0
  private(set) var isUnread = false
  /// Whether it has the time of one that was read.
  private(set) var isEcho = false
  /// Whether it has a time that no other one had.
  private(set) var isAlone = false

  mutating func replace(
    _ new: Span<UInt8>, time newTime: Range<Int>, _ newWorth: GPSDLine.Worth
  ) -> Bool {
    let isOfEpoch =
      !time.isEmpty && line.bytes.extracting(time).elementsEqual(new.extracting(newTime))
    if isOfEpoch { isAlone = false }
    let isBetter =
      isOfEpoch
      ? (newWorth.rawValue, new.count) > (worth.rawValue, line.count) : newWorth.replaces(worth)
    guard !isUnread || isBetter else { return !isOfEpoch }
    isEcho = isOfEpoch && (isEcho || !isUnread)
    isAlone = !isOfEpoch && !newTime.isEmpty
    line.removeAll()
    line.append(new)
    (worth, time, isUnread) = (newWorth, newTime, true)
    return !isOfEpoch
  }

  mutating func read(_ reader: GPSDReader) -> GPSDReport? {
    isUnread = false
    return reader.read(line.bytes)
  }

  mutating func forget() { isUnread = false }
}
