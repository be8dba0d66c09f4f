/// A short text that came from outside, held without a heap allocation.
public struct InlineText: Equatable, Sendable {
  public static let byteCountMax = 47

  private var storage = InlineArray<47, UInt8>(repeating: 0)
  public private(set) var count = 0

  /// The text, cut at a character where it is longer than `byteCountMax`; bytes that are not
  /// printable UTF-8 become `?`, so that what a device says can stand in JSON and in a log.
  public init(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count {
      let length = bytes.lengthOfScalar(at: index)
      guard count + max(length, 1) <= Self.byteCountMax else { return }
      if length == 0 || bytes[index] < 0x20 || bytes[index] == 0x7F {
        append(UInt8(ascii: "?"))
        index += 1
        continue
      }
      for offset in 0..<length { append(bytes[index + offset]) }
      index += length
    }
  }

  public init(_ text: StaticString) {
    let literal = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe self.init(literal.span)
  }

  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(0..<count) }
  }

  public static func == (left: InlineText, right: InlineText) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }

  private mutating func append(_ byte: UInt8) {
    storage[count] = byte
    count += 1
  }
}

extension ByteBuffer {
  public mutating func append(_ text: InlineText) { append(text.bytes) }
}
