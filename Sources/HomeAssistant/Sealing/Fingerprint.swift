import Bytes
import CSodium

/// Initializes libsodium. Call it once before any encryption.
///
/// - Returns: false if the machine has no source of random numbers.
public func prepareSodium() -> Bool { sodium_init() >= 0 }

/// Returns a one-way fingerprint: BLAKE2b, 16 bytes, as 32 hexadecimal digits.
///
/// Uses are the device's identifier (from the board's serial number and the machine's identifier,
/// so that a card copied to a second board is another device) and rejected tokens.
public func fingerprint(of parts: [[UInt8]], purpose: StaticString) -> [UInt8] {
  var input: [UInt8] = []
  func append(_ part: [UInt8]) {
    // The length, in four bytes, distinguishes ("ab", "c") from ("a", "bc").
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
