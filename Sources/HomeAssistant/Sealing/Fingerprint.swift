import Bytes
import CSodium

/// Makes libsodium ready. Must be called once, before anything is sealed.
///
/// - Returns: false where the machine has no source of random numbers.
public func prepareSodium() -> Bool { sodium_init() >= 0 }

/// A fingerprint that says nothing about what it was made of: BLAKE2b, 16 bytes, as 32
/// hexadecimal digits.
///
/// The device's id is one (of the board's serial number and the machine's id, so that a card
/// copied to a second board is another device), and so is the note of a token that was rejected.
public func fingerprint(of parts: [[UInt8]], purpose: StaticString) -> [UInt8] {
  var input: [UInt8] = []
  func append(_ part: [UInt8]) {
    // The length, in four bytes, keeps ("ab", "c") and ("a", "bc") apart.
    var count = UInt32(part.count)
    for _ in 0..<4 {
      input.append(UInt8(truncatingIfNeeded: count))
      count >>= 8
    }
    input += part
  }
  append([UInt8](purpose))
  for part in parts { append(part) }
  var hash = InlineArray<16, UInt8>(repeating: 0)
  var output = hash.mutableSpan
  unsafe output.withUnsafeMutableBufferPointer { output in
    unsafe input.withUnsafeBufferPointer { input in
      unsafe csodium_hash(output.baseAddress, output.count, input.baseAddress, input.count)
    }
  }
  var digits = ByteBuffer(capacity: 32)
  digits.append(hexadecimal: hash.span)
  return [UInt8](digits.bytes)
}
