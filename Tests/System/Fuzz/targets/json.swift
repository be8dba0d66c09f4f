import Bytes

/// Any text: the ways to read it agree, and what was written is read back.
func fuzz(_ input: Span<UInt8>) {
  let value = try? JSON(parsing: input)
  expect("a value is skipped where it can be read", canBeSkipped(input) == (value != nil))
  guard let value else { return }
  checkNumbers(in: value)

  let written = value.serialized()
  guard let again = try? JSON(parsing: written.span) else {
    return expect("what was written can be read", false)
  }
  if String(validating: [UInt8](input), as: UTF8.self) != nil {
    expect("what was written is read back", again == value)
    expect("and written again alike", again.serialized() == written)
  } else {
    // Other bytes become replacement characters in writing, and two keys may become the same.
    let rewritten = again.serialized()
    expect("from then on it stays as it is", (try? JSON(parsing: rewritten.span)) == again)
  }
}

private func canBeSkipped(_ text: Span<UInt8>) -> Bool {
  do throws(JSONError) {
    var reader = JSONReader(text)
    let place = try reader.skipValue()
    expect("a skipped value ends where the reader goes on", place.upperBound == reader.position)
    try reader.finish()
    return true
  } catch {
    return false
  }
}

/// Holds the numbers against what Swift's own library makes of their text.
private func checkNumbers(in value: JSON) {
  switch value {
  case .null, .boolean, .text: return
  case .array(let elements): for element in elements { checkNumbers(in: element) }
  case .object(let object): for member in object.members { checkNumbers(in: member.value) }
  case .number(let number):
    let text = String(decoding: value.serialized(), as: UTF8.self)
    expect("a whole number is the one that is written", number.integer == Int64(text))
    expect("a number is the nearest double", number.double.bitPattern == Double(text)?.bitPattern)
  }
}
