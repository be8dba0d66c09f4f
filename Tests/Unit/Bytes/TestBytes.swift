import Bytes

/// What `body` writes into a fresh buffer.
func bytes(capacity: Int = 4096, _ body: (inout ByteBuffer) -> Void) -> [UInt8] {
  var buffer = ByteBuffer(capacity: capacity)
  body(&buffer)
  return [UInt8](buffer.bytes)
}

/// The same as text.
func text(capacity: Int = 4096, _ body: (inout ByteBuffer) -> Void) -> String {
  String(decoding: bytes(capacity: capacity, body), as: UTF8.self)
}

/// Whether what `body` writes overflows a buffer of this capacity.
func overflows(capacity: Int, _ body: (inout ByteBuffer) -> Void) -> Bool {
  var buffer = ByteBuffer(capacity: capacity)
  body(&buffer)
  return buffer.isOverflowed
}

extension SplitMix64 {
  mutating func bytes(count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
