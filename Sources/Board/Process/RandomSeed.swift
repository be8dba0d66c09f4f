import LinuxIO

/// Where the jitter of waits starts, another one in every process.
public func randomSeed() -> UInt64 {
  let bytes: InlineArray<8, UInt8> = randomBytes()
  var seed: UInt64 = 0
  for index in 0..<8 { seed = seed << 8 | UInt64(bytes[index]) }
  return seed
}
