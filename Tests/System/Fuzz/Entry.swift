/// Where libFuzzer comes in. Each file of `targets` is linked with this one and says in
/// `fuzz(_:)` what holds for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = unsafe UnsafeBufferPointer(start: start, count: count)
  unsafe fuzz(input.span)
  return 0
}

/// Ends the run where a law does not hold; libFuzzer then keeps the input.
func expect(_ law: StaticString, _ holds: Bool) {
  if !holds { fatalError("does not hold: \(law)") }
}
