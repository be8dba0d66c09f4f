public import Bytes

/// Tokens that Home Assistant rejected, as fingerprints: it counts rejected tokens and may ban the
/// address, webhooks included.
///
/// If TLS has authenticated the server, a verdict on the token is final. Over plain HTTP any
/// machine on the path can forge it, and a 401 or a denial may be due to the place: such a token is
/// retried without end, with growing waits.
///
/// The file has at least one line, and one for each token, the newest last: its fingerprint in 32
/// hexadecimal digits; if the rejection is not final, a space, the number of rejections, a space,
/// and the second since 1970 of the next attempt. A damaged line may be that of any token, so one
/// such line makes the file useless.
public struct RejectedTokens: Equatable, Sendable {
  /// Maximum number of tokens, more than a person tries in years; a new one replaces the oldest.
  public static let countMax = 8
  /// Maximum size of a file of `writeFile`.
  public static let fileByteCountMax = countMax * (fingerprintByteCount + 1 + 2 + 21)
  private static let fingerprintByteCount = 32
  /// Waits from a rejection that is not final to the next attempt: after the first, the second,
  /// and so on; the last repeats.
  ///
  /// Home Assistant's count of rejections ends only with its restart or a login that it accepts,
  /// and with `login_attempts_threshold: 5` the fifth bans the address for good, webhooks included.
  /// The first rejection may cost two, that of an access token and that of its renewal: only two
  /// more may follow before Home Assistant is restarted, about once a month for its updates.
  public static let waits: [Duration] = [
    .seconds(900), .seconds(2 * 3600), .seconds(30 * 24 * 3600),
  ]

  private struct Entry: Equatable {
    let fingerprint: [UInt8]
    /// Number of rejections, capped at 9; 0 if the rejection is final.
    var count: Int
    /// Instant before which the token is not sent; meaningless if the rejection is final.
    var until = Instant(nanoseconds: 0)

    var wait: Duration { RejectedTokens.wait(after: count) }
  }

  private var entries: [Entry] = []

  /// Creates an empty list.
  public init() {}

  /// Reads a file of `writeFile`. If a clock was set meanwhile, a token may be retried earlier, but
  /// never later than if it were rejected now.
  ///
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
    guard (4...15).contains(rest.count), rest[0] == UInt8(ascii: " "), rest[2] == UInt8(ascii: " "),
      (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(rest[1]),
      let second = rest.extracting(3..<rest.count).decimalValue
    else { throw .damaged }
    entry.count = Int(rest[1] - UInt8(ascii: "0"))
    // Twelve digits and the seconds of a wall time are far from the ends of the numbers.
    let left = Duration.seconds(second) - .nanoseconds(wallTime.nanoseconds)
    // A wait in the past ends well before `now`: a query may come with an earlier instant.
    let wait: Duration = left > .zero ? min(left, entry.wait) : .seconds(-3600)
    entry.until = now + wait
    return entry
  }

  /// Returns the stored fingerprint of a token.
  public static func fingerprint(of token: [UInt8]) -> [UInt8] {
    HomeAssistant.fingerprint(of: [token], purpose: "rejected token")
  }

  // MARK: Queries

  /// Whether the token with this fingerprint was rejected and must not be sent `now`.
  public func contains(
    fingerprint: [UInt8], now: Instant = Instant(nanoseconds: 0)
  ) -> Bool {
    guard let index = index(of: fingerprint) else { return false }
    return entries[index].count == 0 || now < entries[index].until
  }

  /// Number of rejections of the token with this fingerprint that are not final.
  func count(of fingerprint: [UInt8]) -> Int {
    index(of: fingerprint).map { entries[$0].count } ?? 0
  }

  /// Returns the wait after the last of `count` rejections.
  static func wait(after count: Int) -> Duration { waits[min(count, waits.count) - 1] }

  /// Returns the instant of the next attempt with a rejected token; nil if there is none.
  public func end(of fingerprint: [UInt8]) -> Instant? {
    guard let index = index(of: fingerprint), entries[index].count > 0 else { return nil }
    return entries[index].until
  }

  private func index(of fingerprint: [UInt8]) -> Int? {
    entries.firstIndex { $0.fingerprint.span.elementsEqual(fingerprint.span) }
  }

  // MARK: Changes

  /// Stores a rejected token, unless `contains` is already true for it. It is final if TLS
  /// authenticated the server that judged the token.
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

  /// Removes a token that a Home Assistant accepted, which outweighs the stored rejection. Returns
  /// whether it was stored.
  public mutating func remove(fingerprint: [UInt8]) -> Bool {
    guard let index = index(of: fingerprint) else { return false }
    entries.remove(at: index)
    return true
  }

  /// Whether no tokens are stored.
  public var isEmpty: Bool { entries.isEmpty }

  /// Writes the file in place of the buffer's content. The buffer holds at least
  /// `fileByteCountMax`.
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
