import Bytes
import HomeAssistant

/// Any file: what it is read as is written and read again, and a file with a byte changed is the
/// same registration or none.
func fuzz(_ input: Span<UInt8>) {
  guard let file = rewritten(input) else { return }
  expect("what was written is written again alike", rewritten(file.span) == file)
  var changed = [UInt8](input)
  for place in changed.indices {
    let change = UInt8(truncatingIfNeeded: place &* 37) | 1
    changed[place] ^= change
    let other = rewritten(changed.span)
    expect("a damaged file is another registration never", other == nil || other == file)
    changed[place] ^= change
  }
}

/// What is written of a registration that was read; nil where the file is none.
private func rewritten(_ file: Span<UInt8>) -> [UInt8]? {
  guard let registration = try? Registration(file: file) else { return nil }
  var buffer = ByteBuffer(capacity: Registration.fileByteCountMax)
  registration.writeFile(into: &buffer)
  expect("a registration fits into its file", !buffer.isOverflowed)
  return [UInt8](buffer.bytes)
}
