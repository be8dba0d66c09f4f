/// JSON value of any kind, stored as its own copy: it does not keep the text in memory from which
/// it was read.
public enum JSON: Equatable, Sendable {
  /// `null`: the explicit empty value.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number of any form, exactly as written.
  case number(JSONNumber)
  /// A string without escapes.
  case text(Text)
  /// An array.
  case array([JSON])
  /// An object.
  case object(JSONObject)

  /// Maximum number of values in one text. Three bytes of text can become fifty of memory, so a
  /// limit on the text alone would not limit the memory. The largest message of a home with ten
  /// thousand entities has a third of it.
  public static let valueCountMax = 1_000_000

  /// Kind of a value.
  public typealias Kind = JSONReader.Kind

  /// Kind of this value.
  public var kind: Kind {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .number: .number
    case .text: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Value of a member; nil if it is missing or this is not an object.
  public subscript(key: Text) -> JSON? {
    guard case .object(let object) = self else { return nil }
    return object[key]
  }
}

// Reading

extension JSON {
  /// Reads the only value in the text. Throws if it contains more than `valueCountMax` values.
  public init(
    parsing text: Span<UInt8>, valueCountMax: Int = JSON.valueCountMax
  ) throws(JSONError) {
    var reader = JSONReader(text)
    try self.init(reading: &reader, valueCountMax: valueCountMax)
    try reader.finish()
  }

  /// Reads the next value. Throws if it contains more than `valueCountMax` values.
  public init(
    reading reader: inout JSONReader, valueCountMax: Int = JSON.valueCountMax
  ) throws(JSONError) {
    var room = valueCountMax
    self = try .read(from: &reader, depth: 0, room: &room)
  }

  private static func read(
    from reader: inout JSONReader, depth: Int, room: inout Int
  ) throws(JSONError) -> JSON {
    guard room > 0 else { throw .tooLarge }
    room -= 1
    switch try reader.nextKind() {
    case .null:
      try reader.null()
      return .null
    case .boolean: return .boolean(try reader.boolean())
    case .number: return .number(JSONNumber(checked: try reader.number()))
    case .string: return .text(Text(try reader.text()))
    case .array: return .array(try elements(from: &reader, depth: depth, room: &room))
    case .object: return .object(try members(from: &reader, depth: depth, room: &room))
    }
  }

  private static func elements(
    from reader: inout JSONReader, depth: Int, room: inout Int
  ) throws(JSONError) -> [JSON] {
    guard depth < JSONReader.depthMax else { throw .tooDeep }
    var elements: [JSON] = []
    try reader.openArray()
    while try reader.nextElement() {
      elements.append(try read(from: &reader, depth: depth + 1, room: &room))
    }
    return elements
  }

  private static func members(
    from reader: inout JSONReader, depth: Int, room: inout Int
  ) throws(JSONError) -> JSONObject {
    guard depth < JSONReader.depthMax else { throw .tooDeep }
    var members = JSONObject()
    try reader.openObject()
    while let key = try reader.nextKey() {
      let key = Text(key)
      members[key] = try read(from: &reader, depth: depth + 1, room: &room)
    }
    return members
  }
}

// Writing

extension JSON {
  /// Writes the value as an element, as a member's value (after its key) or as the whole text.
  public func write(into buffer: inout ByteBuffer) {
    switch self {
    case .null: buffer.appendJSONNull()
    case .boolean(let truth): buffer.appendJSON(truth)
    case .number(let number): buffer.appendJSON(number)
    case .text(let text): buffer.appendJSON(text.bytes)
    case .array(let elements):
      buffer.openJSONArray()
      for element in elements { element.write(into: &buffer) }
      buffer.closeJSONArray()
    case .object(let object): object.write(into: &buffer)
    }
  }

  /// Returns the value as JSON text.
  public func serialized() -> [UInt8] {
    var buffer = ByteBuffer(capacity: 256)
    write(into: &buffer)
    while buffer.isOverflowed {
      buffer = ByteBuffer(capacity: buffer.capacity * 4)
      write(into: &buffer)
    }
    return [UInt8](buffer.bytes)
  }
}

extension JSONObject {
  /// Writes the object as an element, as a member's value (after its key) or as the whole text.
  public func write(into buffer: inout ByteBuffer) {
    buffer.openJSONObject()
    writeMembers(into: &buffer)
    buffer.closeJSONObject()
  }

  /// Writes only the members, into an object that the caller has opened.
  public func writeMembers(into buffer: inout ByteBuffer) {
    for member in members {
      buffer.appendJSON(key: member.key.bytes.span)
      member.value.write(into: &buffer)
    }
  }
}

// Literals

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral literal: Bool) { self = .boolean(literal) }
  public init(integerLiteral literal: Int64) { self = .number(JSONNumber(literal)) }
  public init(floatLiteral literal: Double) { self = .number(JSONNumber(floatLiteral: literal)) }
  public init(stringLiteral literal: StaticString) { self = .text(Text(stringLiteral: literal)) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  public init(dictionaryLiteral members: (Text, JSON)...) {
    var object = JSONObject()
    for (key, value) in members { object[key] = value }
    self = .object(object)
  }
}
