/// A short text that came from outside, held without a heap allocation.
public struct InlineText: Equatable, Sendable {
  /// The longest text, in bytes of UTF-8.
  public static let byteCountMax = 47

  private var storage = InlineArray<47, UInt8>(repeating: 0)
  private var byteCount: UInt8 = 0

  /// The length in bytes of UTF-8.
  public var count: Int { Int(byteCount) }

  /// The text, cut between two scalars where it is longer than `byteCountMax`; control characters
  /// and bytes that are not UTF-8 become `?`, so that what a device says can stand in JSON and in
  /// a log, and steers no terminal.
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

  /// The text of a literal, treated like one from outside.
  public init(_ text: StaticString) {
    let literal = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe self.init(literal.span)
  }

  /// The UTF-8.
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
  /// Whether the scalar at `index` is one of U+0000...U+001F and U+007F...U+009F.
  public func isControl(at index: Int) -> Bool {
    switch self[index] {
    case 0x00..<0x20, 0x7F: true
    case 0xC2: self[index + 1] < 0xA0
    default: false
    }
  }
}

extension ByteBuffer {
  /// Appends the UTF-8 of the text, or nothing where it does not fit.
  public mutating func append(_ text: InlineText) { append(text.bytes) }
}
