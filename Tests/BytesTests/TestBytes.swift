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

/// Random numbers that come again with the same seed.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func bytes(count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
