import Bytes

extension JSONReader {
  /// Calls `body` with each key of the text, an object; `body` reads the value.
  static func forEachMember(
    of text: Span<UInt8>,
    _ body: (Text, inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONDecodingError) {
    var reader = JSONReader(text)
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() { try body(key, &reader) }
      try reader.finish()
    } catch {
      throw .malformed(error)
    }
  }
}
