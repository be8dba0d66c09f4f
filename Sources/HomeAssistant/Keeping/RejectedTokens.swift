public import Bytes

/// The tokens that Home Assistant rejected, as fingerprints, so that none is ever sent again, not
/// even after a restart: it counts rejected tokens and may ban the address, webhooks included.
///
/// The file that keeps them has one fingerprint per line, 32 hexadecimal digits each, the newest
/// last, and at least one. A damaged line may be that of any token, so a file with one is of no
/// use.
public struct RejectedTokens: Equatable, Sendable {
  /// More tokens than a person tries in years; the oldest is forgotten for a new one.
  public static let countMax = 8
  /// The longest file that `writeFile` writes.
  public static let fileByteCountMax = countMax * (fingerprintByteCount + 1)
  private static let fingerprintByteCount = 32

  private var fingerprints: [[UInt8]] = []

  /// None so far.
  public init() {}

  /// Those of a file that `writeFile` has written.
  public init(file: Span<UInt8>) throws(KeptFileError) {
    guard !file.isEmpty, file.count <= Self.fileByteCountMax else { throw .damaged }
    var start = 0
    while start < file.count {
      let end = file.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? file.count
      let line = [UInt8](file.extracting(start..<end))
      guard line.count == Self.fingerprintByteCount,
        line.allSatisfy({ hexadecimalValue(of: $0) != nil })
      else { throw .damaged }
      insert(fingerprint: line)
      start = end + 1
    }
  }

  /// What is kept of a token.
  public static func fingerprint(of token: [UInt8]) -> [UInt8] {
    HomeAssistant.fingerprint(of: [token], purpose: "rejected token")
  }

  /// Whether the token with this fingerprint was rejected.
  public func contains(fingerprint: [UInt8]) -> Bool {
    fingerprints.contains { $0.span.elementsEqual(fingerprint.span) }
  }

  /// Keeps a fingerprint of `fingerprint(of:)` or `Credential.fingerprint`.
  public mutating func insert(fingerprint: [UInt8]) {
    guard !contains(fingerprint: fingerprint) else { return }
    if fingerprints.count == Self.countMax { fingerprints.removeFirst() }
    fingerprints.append(fingerprint)
  }

  /// Writes the file, in place of what the buffer holds. It holds at least `fileByteCountMax`.
  public func writeFile(into buffer: inout ByteBuffer) {
    buffer.removeAll()
    for fingerprint in fingerprints {
      buffer.append(fingerprint)
      buffer.append(UInt8(ascii: "\n"))
    }
  }
}
