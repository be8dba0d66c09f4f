public import Bytes

/// Identities of the commands that came last, as fingerprints, so that a command that comes twice
/// is carried out once, over a restart, too.
public struct CommandIDs: Equatable, Sendable {
  /// Maximum number of identities; a new one replaces the oldest.
  public static let countMax = 64
  private static let digitCount = 32
  private static let file = KeptTexts(version: 1, keys: ["ids"])
  /// Maximum size of a file of `writeFile`.
  public static let fileByteCountMax = countMax * digitCount + 128

  /// Fingerprints of 32 hexadecimal digits, the newest last.
  private var fingerprints: [[UInt8]] = []

  /// Creates an empty list.
  public init() {}

  /// Reads a file of `writeFile`.
  public init(file: Span<UInt8>) throws(KeptFileError) {
    let texts = try Self.file.read(file)
    let digits = texts[0]
    guard digits.count.isMultiple(of: Self.digitCount),
      digits.count <= Self.countMax * Self.digitCount,
      digits.allSatisfy({ hexadecimalValue(of: $0) != nil })
    else { throw .damaged }
    for start in stride(from: 0, to: digits.count, by: Self.digitCount) {
      fingerprints.append([UInt8](digits[start..<start + Self.digitCount]))
    }
  }

  /// Writes the file in place of the buffer's content. The buffer holds at least
  /// `fileByteCountMax`.
  public func writeFile(into buffer: inout ByteBuffer) {
    Self.file.write([fingerprints.flatMap { $0 }], into: &buffer)
  }

  /// Adds an identity. Returns false if it was there.
  public mutating func insert(_ id: [UInt8]) -> Bool {
    let fingerprint = Self.fingerprint(of: id)
    guard !fingerprints.contains(fingerprint) else { return false }
    if fingerprints.count == Self.countMax { fingerprints.removeFirst() }
    fingerprints.append(fingerprint)
    return true
  }

  /// Removes an identity, whose command may come again.
  public mutating func remove(_ id: [UInt8]) {
    let fingerprint = Self.fingerprint(of: id)
    fingerprints.removeAll { $0 == fingerprint }
  }

  private static func fingerprint(of id: [UInt8]) -> [UInt8] {
    HomeAssistant.fingerprint(of: [id], purpose: "command")
  }
}
