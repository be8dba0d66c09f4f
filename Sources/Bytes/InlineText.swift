/// Short text from outside, stored without a heap allocation.
public struct InlineText: Equatable, Sendable {
  /// Maximum length, in bytes of UTF-8.
  public static let byteCountMax = 47

  private var storage = InlineArray<47, UInt8>(repeating: 0)
  private var byteCount: UInt8 = 0

  /// Length in bytes of UTF-8.
  public var count: Int { Int(byteCount) }

  /// Copies the text, cut between two scalars if it is longer than `byteCountMax`. Control
  /// characters and bytes that are not UTF-8 become `?`, so that the text is safe in JSON, in a log
  /// and on a terminal.
  public init(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count {
      let length = bytes.lengthOfScalar(at: index)
      if length == 0 || bytes.isControl(at: index) {
        guard count < Self.byteCountMax else { return }
        append(UInt8(ascii: "?"))
      } else {
        guard count + length <= Self.byteCountMax else { return }
        for offset in 0..<length { append(bytes[index + offset]) }
      }
      index += max(length, 1)
    }
  }

  /// Creates the text of a literal, treated like one from outside.
  public init(_ text: StaticString) {
    let literal = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe self.init(literal.span)
  }

  /// Bytes of the text in UTF-8.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(0..<count) }
  }

  public static func == (left: InlineText, right: InlineText) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }

  private mutating func append(_ byte: UInt8) {
    storage[count] = byte
    byteCount += 1
  }
}

extension Span where Element == UInt8 {
  /// Whether the scalar at `index` is in U+0000...U+001F or U+007F...U+009F.
  public func isControl(at index: Int) -> Bool {
    switch self[index] {
    case 0x00..<0x20, 0x7F: true
    case 0xC2: self[index + 1] < 0xA0
    default: false
    }
  }
}

extension ByteBuffer {
  /// Appends the UTF-8 of the text, or nothing if it does not fit.
  public mutating func append(_ text: InlineText) { append(text.bytes) }
}
