import Bytes

/// The value of a JSON text.
func json(_ text: String) throws -> JSON {
  let bytes = [UInt8](text.utf8)
  return try JSON(parsing: bytes.span)
}

/// What a JSON text decodes to.
func decode<Value: JSONDecodable>(_ text: String, as: Value.Type = Value.self) throws -> Value {
  let bytes = [UInt8](text.utf8)
  return try Value(decoding: bytes.span)
}

func time(_ text: StaticString) -> WallTime {
  let bytes = [UInt8](text)
  guard let time = WallTime(iso8601: bytes.span) else { preconditionFailure("\(text)") }
  return time
}
