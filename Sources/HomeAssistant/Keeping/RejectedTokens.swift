public import Bytes

/// The tokens that Home Assistant rejected, as fingerprints: it counts rejected tokens and may ban
/// the address, webhooks included.
///
/// A server that proved who it is, by TLS, rejects a token for good. Over plain HTTP each machine
/// on the way can say the same, so there the token is shown again, ever more rarely, for ever.
///
/// The file has one line per token, the newest last, and at least one: its fingerprint in 32
/// hexadecimal digits; where it may be shown again, a space, how often it was rejected, a space,
/// and the second since 1970 before which it is not. A damaged line may be that of any token, so a
/// file with one is of no use.
public struct RejectedTokens: Equatable, Sendable {
  /// More tokens than a person tries in years; the oldest is forgotten for a new one.
  public static let countMax = 8
  /// The longest file that `writeFile` writes.
  public static let fileByteCountMax = countMax * (fingerprintByteCount + 1 + 2 + 21)
  private static let fingerprintByteCount = 32
  /// From a rejection that may be another machine's to the next attempt: after the first, the
  /// second, and so on; after more, the last.
  public static let waits: [Duration] = [
    .seconds(900), .seconds(2 * 3600), .seconds(8 * 3600), .seconds(12 * 3600),
  ]

  private struct Entry: Equatable {
    let fingerprint: [UInt8]
    /// How often it was rejected, as far as that counts; 0 where it was for good.
    var count: Int
    /// Before this moment it is not shown again; of no meaning where it was rejected for good.
    var until = Instant(nanoseconds: 0)

    /// So long it is not shown again after it was rejected `count` times.
    var wait: Duration { waits[min(count, waits.count) - 1] }
  }

  private var entries: [Entry] = []

  /// None so far.
  public init() {}

  /// Those of a file that `writeFile` has written. Where a clock was set meanwhile, a token may be
  /// shown earlier, and none later than if it were rejected now.
  ///
  /// - Parameters:
  ///   - file: as it is on the disk.
  ///   - now: the moment of now.
  ///   - wallTime: the same by the clock that people read.
  /// - Throws: `KeptFileError.damaged` if it is not such a file.
  public init(
    file: Span<UInt8>, now: Instant = Instant(nanoseconds: 0),
    wallTime: WallTime = WallTime(nanoseconds: 0)
  ) throws(KeptFileError) {
    guard !file.isEmpty, file.count <= Self.fileByteCountMax else { throw .damaged }
    var start = 0
    while start < file.count {
      let end = file.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? file.count
      guard entries.count < Self.countMax else { throw .damaged }
      append(try Self.entry(in: file.extracting(start..<end), now, wallTime))
      start = end + 1
    }
  }

  private static func entry(
    in line: Span<UInt8>, _ now: Instant, _ wallTime: WallTime
  ) throws(KeptFileError) -> Entry {
    guard line.count >= fingerprintByteCount else { throw .damaged }
    let fingerprint = [UInt8](line.extracting(first: fingerprintByteCount))
    guard fingerprint.allSatisfy({ hexadecimalValue(of: $0) != nil }) else { throw .damaged }
    var entry = Entry(fingerprint: fingerprint, count: 0)
    let rest = line.extracting(fingerprintByteCount..<line.count)
    guard !rest.isEmpty else { return entry }
    // ` 3 1790000000`
    guard rest.count > 3, rest[0] == UInt8(ascii: " "), rest[2] == UInt8(ascii: " "),
      (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(rest[1]),
      let second = decimal(rest.extracting(3..<rest.count))
    else { throw .damaged }
    entry.count = Int(rest[1] - UInt8(ascii: "0"))
    // Twelve digits and the seconds of a wall time are far from the ends of the numbers.
    let left = Duration.seconds(second) - .nanoseconds(wallTime.nanoseconds)
    // One that has passed is well before `now`: a question may come with an earlier moment.
    let wait: Duration = left > .zero ? min(left, entry.wait) : .seconds(-3600)
    entry.until = now + wait
    return entry
  }

  private static func decimal(_ digits: Span<UInt8>) -> Int64? {
    guard digits.count <= 12 else { return nil }
    var number: Int64 = 0
    for index in digits.indices {
      guard digits[index].isASCIIDigit else { return nil }
      number = number * 10 + Int64(digits[index] - UInt8(ascii: "0"))
    }
    return number
  }

  /// What is kept of a token.
  public static func fingerprint(of token: [UInt8]) -> [UInt8] {
    HomeAssistant.fingerprint(of: [token], purpose: "rejected token")
  }

  // MARK: Queries

  /// Whether the token with this fingerprint was rejected, and is not to be shown `now`.
  public func contains(
    fingerprint: [UInt8], now: Instant = Instant(nanoseconds: 0)
  ) -> Bool {
    guard let index = index(of: fingerprint) else { return false }
    return entries[index].count == 0 || now < entries[index].until
  }

  /// When a token that is not to be shown may be; nil where that is never.
  public func end(of fingerprint: [UInt8]) -> Instant? {
    guard let index = index(of: fingerprint), entries[index].count > 0 else { return nil }
    return entries[index].until
  }

  private func index(of fingerprint: [UInt8]) -> Int? {
    entries.firstIndex { $0.fingerprint.span.elementsEqual(fingerprint.span) }
  }

  // MARK: Changes

  /// A token was rejected, which has a fingerprint of `fingerprint(of:)` or
  /// `Credential.fingerprint`. While one is not to be shown, the same says nothing new.
  ///
  /// - Parameters:
  ///   - fingerprint: what is kept of it.
  ///   - isForGood: whether the server that rejected it proved who it is.
  ///   - now: the moment of now.
  public mutating func insert(
    fingerprint: [UInt8], isForGood: Bool = true, now: Instant = Instant(nanoseconds: 0)
  ) {
    guard !contains(fingerprint: fingerprint, now: now) else { return }
    var entry = Entry(fingerprint: fingerprint, count: 0)
    if let index = index(of: fingerprint) { entry = entries.remove(at: index) }
    if isForGood {
      entry.count = 0
    } else {
      entry.count = min(entry.count + 1, 9)
      entry.until = now + entry.wait
    }
    append(entry)
  }

  private mutating func append(_ entry: Entry) {
    guard index(of: entry.fingerprint) == nil else { return }
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(entry)
  }

  /// A home accepted the token, which counts for more than what was kept. Returns whether it was
  /// among these.
  public mutating func remove(fingerprint: [UInt8]) -> Bool {
    guard let index = index(of: fingerprint) else { return false }
    entries.remove(at: index)
    return true
  }

  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }

  /// Writes the file, in place of what the buffer holds. It holds at least `fileByteCountMax`.
  ///
  /// - Parameters:
  ///   - buffer: takes the file.
  ///   - now: the moment of now.
  ///   - wallTime: the same by the clock that people read.
  public func writeFile(
    into buffer: inout ByteBuffer, now: Instant = Instant(nanoseconds: 0),
    wallTime: WallTime = WallTime(nanoseconds: 0)
  ) {
    buffer.removeAll()
    for entry in entries {
      buffer.append(entry.fingerprint)
      if entry.count > 0 {
        buffer.append(UInt8(ascii: " "))
        buffer.append(decimal: entry.count)
        buffer.append(UInt8(ascii: " "))
        let end = wallTime + max(entry.until - now, .zero)
        buffer.append(decimal: max(end.nanoseconds / 1_000_000_000, 0))
      }
      buffer.append(UInt8(ascii: "\n"))
    }
  }
}
