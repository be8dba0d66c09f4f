import Bytes

/// A receiver of gpsd, and its reports since the last choice.
///
/// Of the TPVs that come together only one is read, because it replaces the others: the last one
/// of the greatest worth. Of TPVs with the same time the first counts: the others are its echoes.
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
  /// TPV that was read last since the last choice.
  private(set) var position: FixReport?
  /// Whether it had a fix at the last choice.
  private(set) var isExpected = false
  /// Whether a report was rejected before the last choice, so that each of them is read.
  private(set) var isDoubted = false

  private var kept = KeptTPV()
  private var filter = FixFilter()
  private var hasRejected = false

  init(_ path: Span<UInt8>, now: Instant) {
    checksum = Self.checksum(of: path)
    name = InlineText(path)
    heardAt = now
  }

  static func checksum(of path: Span<UInt8>) -> UInt32 {
    var checksum = CRC32C()
    checksum.update(path)
    return checksum.value
  }

  /// Whether a TPV was kept and not read since.
  var hasUnread: Bool { kept.isUnread }

  /// Age of the newest report when it was read, in nanoseconds.
  var lag: Int64 { filter.lag }

  /// Keeps a TPV, if it replaces the kept one. Returns whether it begins an epoch: it has another
  /// time than the kept one.
  func keep(_ line: Span<UInt8>, _ head: borrowing GPSDLine) -> Bool { kept.replace(line, head) }

  /// Reads the kept TPV.
  func readKept(_ reader: GPSDReader, _ arrival: Arrival) -> FixFilter.Verdict {
    guard let report = kept.read(reader) else {
      hasRejected = true
      return .rejected(.unreadable)
    }
    position = report.fix
    let verdict = filter.reported(report.fix, arrival)
    if case .rejected(let flaw) = verdict, flaw != .notNewer || !kept.isEcho { hasRejected = true }
    // Some sentences of a receiver have a time, others do not.
    if let fix = verdict.fix, fix.clock == .receiver || self.fix?.clock != .receiver {
      self.fix = fix
    }
    return verdict
  }

  func cycleEnded() {
    isExpected = fix != nil
    (isDoubted, hasRejected) = (hasRejected, false)
    (fix, position) = (nil, nil)
  }

  func forgetReports() {
    (fix, position) = (nil, nil)
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
  /// Whether it has the time of the one before it.
  private(set) var isEcho = false

  mutating func replace(_ new: Span<UInt8>, _ head: borrowing GPSDLine) -> Bool {
    let isEcho =
      !time.isEmpty
      && line.bytes.extracting(time).elementsEqual(new.extracting(head.time))
    let worthMin = worth.rawValue + (isEcho ? 1 : 0)
    guard !isUnread || head.worth.rawValue >= worthMin else { return !isEcho }
    line.removeAll()
    line.append(new)
    (worth, time, self.isEcho, isUnread) = (head.worth, head.time, isEcho, true)
    return !isEcho
  }

  mutating func read(_ reader: GPSDReader) -> GPSDReport? {
    isUnread = false
    return reader.read(line.bytes)
  }

  mutating func forget() { isUnread = false }
}
