/// Reads JSON as strictly as Home Assistant's parser: UTF-8 without a byte order mark, no
/// NaN or Infinity, no number that overflows, no lone surrogate, at most 1024 levels deep.
struct JSONParser {
  /// Where and why a text is not JSON.
  struct Failure: Error, Equatable {
    var reason: String
    var offset: Int
  }

  static let depthMax = 1024

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func parse(_ bytes: [UInt8]) throws(Failure) -> JSON {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw Failure(reason: "a UTF-8 byte order mark is in front", offset: 0)
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Failure(reason: "the text is not UTF-8", offset: 0)
    }
    var parser = JSONParser(bytes)
    parser.skipSpace()
    let value = try parser.value()
    parser.skipSpace()
    if parser.position < bytes.count { throw parser.failure("something follows the value") }
    return value
  }

  private func failure(_ reason: String) -> Failure { Failure(reason: reason, offset: position) }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value() throws(Failure) -> JSON {
    guard let byte = current else { throw failure("the text ends too early") }
    switch byte {
    case UInt8(ascii: "{"): return .object(try nested { (me) throws(Failure) in try me.members() })
    case UInt8(ascii: "["): return .array(try nested { (me) throws(Failure) in try me.elements() })
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "N"), UInt8(ascii: "I"): throw failure("NaN and Infinity are not JSON")
    default: throw failure("a value cannot start like this")
    }
  }

  private mutating func nested<Value>(
    _ body: (inout JSONParser) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if depth == Self.depthMax { throw failure("more than \(Self.depthMax) levels deep") }
    depth += 1
    position += 1
    skipSpace()
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func members() throws(Failure) -> JSONObject {
    var object = JSONObject()
    if take("}") { return object }
    while true {
      guard current == UInt8(ascii: "\"") else { throw failure("a key must be a string") }
      let key = try string()
      skipSpace()
      guard take(":") else { throw failure("a colon must follow a key") }
      skipSpace()
      object[key] = try value()
      skipSpace()
      if take("}") { return object }
      guard take(",") else { throw failure("a comma or } must follow a member") }
      skipSpace()
    }
  }

  private mutating func elements() throws(Failure) -> [JSON] {
    var array: [JSON] = []
    if take("]") { return array }
    while true {
      array.append(try value())
      skipSpace()
      if take("]") { return array }
      guard take(",") else { throw failure("a comma or ] must follow an element") }
      skipSpace()
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSON) throws(Failure) -> JSON {
    let expected = Array("\(text)".utf8)
    guard bytes[position...].starts(with: expected) else { throw failure("no such word") }
    position += expected.count
    return value
  }
}

// MARK: Numbers and strings

extension JSONParser {
  private mutating func digits() throws(Failure) {
    let start = position
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      position += 1
    }
    if position == start { throw failure("a digit is missing") }
  }

  private mutating func number() throws(Failure) -> JSON {
    let start = position
    _ = take("-")
    if take("0") {
      if let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        throw failure("a number cannot start with a zero")
      }
    } else {
      try digits()
    }
    var isInteger = true
    if take(".") {
      isInteger = false
      try digits()
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    return try number(String(decoding: bytes[start..<position], as: UTF8.self), isInteger)
  }

  /// Integers beyond 64 bits become floats, as in the parser Home Assistant uses.
  private func number(_ text: String, _ isInteger: Bool) throws(Failure) -> JSON {
    if isInteger {
      if let value = Int64(text) { return .integer(Int128(value)) }
      if let value = UInt64(text) { return .integer(Int128(value)) }
    }
    guard let value = Double(text), value.isFinite else { throw failure("the number overflows") }
    return .float(value)
  }

  private mutating func string() throws(Failure) -> String {
    position += 1
    let start = position
    while let byte = current, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    var text = Array(bytes[start..<position])
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try escape(into: &text)
      case 0..<0x20:
        throw failure("a control character is not escaped")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw failure("a string does not end")
  }

  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    guard let byte = current else { throw failure("a string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try scalar())).utf8)
    default: throw failure("no such escape")
    }
  }

  private mutating func scalar() throws(Failure) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard UTF16.isLeadSurrogate(first), take("\\"), take("u") else {
      throw failure("a surrogate stands alone")
    }
    let second = try codeUnit()
    guard UTF16.isTrailSurrogate(second) else { throw failure("a surrogate stands alone") }
    return UTF16.decode(UTF16.EncodedScalar([first, second]))
  }

  private mutating func codeUnit() throws(Failure) -> UInt16 {
    guard position + 4 <= bytes.count else { throw failure("a string does not end") }
    let text = String(decoding: bytes[position..<position + 4], as: UTF8.self)
    guard text.allSatisfy(\.isHexDigit), let unit = UInt16(text, radix: 16) else {
      throw failure("\\u needs four hexadecimal digits")
    }
    position += 4
    return unit
  }
}
