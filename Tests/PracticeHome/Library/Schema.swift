/// One thing a schema objects to, and where.
struct Problem: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    case key(String)
    case index(Int)
    case group(String)
  }

  enum Kind: Sendable, Equatable {
    case extraKey
    case missingKey
    case value(String)
  }

  var path: [Step]
  var kind: Kind
  /// Set for the value of a dictionary: Home Assistant's wording says so.
  var isDictionaryValue = false
}

/// What a schema objects to; never empty.
struct Invalid: Error, Equatable {
  var problems: [Problem]

  init(_ problems: [Problem]) {
    precondition(!problems.isEmpty, "an objection names its reason")
    self.problems = problems
  }

  init(_ message: String) {
    self.init([Problem(path: [], kind: .value(message))])
  }
}

/// A check of one JSON value that may also change it: coerce it, fill in a default, drop a key.
///
/// Schemas are data built from the combinators below. They mirror what the validation library of
/// Home Assistant accepts and says, because its words reach clients in `invalid_format` answers.
struct Schema: Sendable {
  let check: @Sendable (JSON) throws(Invalid) -> JSON

  init(_ check: @escaping @Sendable (JSON) throws(Invalid) -> JSON) { self.check = check }

  func callAsFunction(_ value: JSON) throws(Invalid) -> JSON { try check(value) }

  /// The same check under another message.
  func saying(_ message: String) -> Schema {
    Schema { (value) throws(Invalid) in
      do throws(Invalid) { return try check(value) } catch { throw Invalid(message) }
    }
  }

  /// This check, then the next one on its result.
  func then(_ next: Schema) -> Schema {
    Schema { (value) throws(Invalid) in try next(try check(value)) }
  }
}

// MARK: Scalars

extension Schema {
  static let anything = Schema { (value) throws(Invalid) in value }

  /// Turns numbers and booleans into text; null and containers are refused.
  static let string = Schema { (value) throws(Invalid) in
    switch value {
    case .null: throw Invalid("string value is None")
    case .array, .object: throw Invalid("value should be a string")
    default: .string(Python.str(value))
    }
  }

  /// "sensor.boat_cpu", in small letters.
  static let entityID = Schema { (value) throws(Invalid) in
    let id = Python.str(value).lowercased()
    guard Slug.isEntityID(id) else {
      throw Invalid("Entity ID \(id) is an invalid entity ID")
    }
    return .string(id)
  }

  /// Entity ids as a list, or as one text with commas.
  static let entityIDs = Schema { (value) throws(Invalid) in
    if value.isNull { throw Invalid("Entity IDs can not be None") }
    let parts =
      value.array
      ?? Python.str(value).split(separator: ",").map { .string(String($0).trimmed) }
    var ids: [JSON] = []
    for part in parts { ids.append(try entityID(part)) }
    return .array(ids)
  }

  static let icon = Schema { (value) throws(Invalid) in
    let text = Python.str(value)
    guard text.contains(":") else {
      throw Invalid("Icons should be specified in the form \"prefix:name\"")
    }
    return .string(text)
  }

  /// Text, and nothing that could be turned into it.
  static let text = Schema { (value) throws(Invalid) in
    guard case .string = value else { throw Invalid("expected str") }
    return value
  }

  static let textOrNull = Schema { (value) throws(Invalid) in
    guard value.isNull || value.string != nil else { throw Invalid("expected str") }
    return value
  }

  /// An integer; to Python a boolean is one.
  static let integer = Schema { (value) throws(Invalid) in
    switch value {
    case .integer, .bool: return value
    default: throw Invalid("expected int")
    }
  }

  /// A real boolean.
  static let strictBoolean = Schema { (value) throws(Invalid) in
    guard case .bool = value else { throw Invalid("expected bool") }
    return value
  }

  /// A boolean, a number, or one of ten words.
  static let boolean = Schema { (value) throws(Invalid) in
    switch value {
    case .bool: return value
    case .integer, .float: return .bool(Python.isTrue(value))
    case .string(let text):
      let word = text.lowercased().trimmed
      if ["1", "true", "yes", "on", "enable"].contains(word) { return true }
      if ["0", "false", "no", "off", "disable"].contains(word) { return false }
      throw Invalid("invalid boolean value \(word)")
    default: throw Invalid("invalid boolean value \(Python.str(value))")
    }
  }

  /// Any scalar, null included: what a state may be.
  static let scalar = Schema { (value) throws(Invalid) in
    switch value {
    case .array, .object: throw Invalid("not a valid value")
    default: value
    }
  }

  /// An integer of at least 0; fractions are cut off, not rounded.
  static let positiveInteger = Schema { (value) throws(Invalid) in
    guard let integer = Python.int(value) else { throw Invalid("expected int") }
    guard integer >= 0 else { throw Invalid("value must be at least 0") }
    return .integer(integer)
  }

  static let float = Schema { (value) throws(Invalid) in
    guard let float = Python.float(value) else { throw Invalid("expected float") }
    return .float(float)
  }

  /// A float within limits; NaN is outside every limit.
  static func float(in range: ClosedRange<Double>) -> Schema {
    float.then(
      Schema { (value) throws(Invalid) in
        guard let number = value.number, range.contains(number) else {
          throw Invalid("value must be within \(range.lowerBound) and \(range.upperBound)")
        }
        return value
      })
  }

  /// True, or a number equal to it.
  static let literalTrue = Schema { (value) throws(Invalid) in
    switch value {
    case .bool(true), .integer(1), .float(1): value
    default: throw Invalid("not a valid value")
    }
  }

  static func oneOf(_ choices: [String]) -> Schema {
    Schema { (value) throws(Invalid) in
      guard let text = value.string, choices.contains(text) else {
        throw Invalid("value must be one of [\(choices.map { "'\($0)'" }.joined(separator: ", "))]")
      }
      return value
    }
  }

  /// A word of an enumeration, of which Home Assistant says no more than "not a valid value".
  static func word(of choices: Set<String>, ignoringCase: Bool = false) -> Schema {
    Schema { (value) throws(Invalid) in
      guard let text = ignoringCase ? Python.str(value).lowercased() : value.string,
        choices.contains(text)
      else { throw Invalid("not a valid value") }
      return .string(text)
    }
  }

  static func nullOr(_ schema: Schema) -> Schema {
    Schema { (value) throws(Invalid) in
      if value.isNull { return .null }
      do throws(Invalid) { return try schema(value) } catch { throw Invalid("not a valid value") }
    }
  }
}

// MARK: Containers

extension Schema {
  static let dictionary = Schema { (value) throws(Invalid) in
    guard case .object = value else { throw Invalid("expected dict") }
    return value
  }

  static let dictionaryOrList = Schema { (value) throws(Invalid) in
    switch value {
    case .object, .array: value
    default: throw Invalid("expected dict")
    }
  }

  /// A list of exactly these.
  static func sequence(_ schemas: Schema...) -> Schema {
    Schema { (value) throws(Invalid) in
      guard let array = value.array, array.count == schemas.count else { throw Invalid("None") }
      var result: [JSON] = []
      for (schema, element) in zip(schemas, array) { result.append(try schema(element)) }
      return .array(result)
    }
  }

  /// A list, of so many elements if that is said.
  static func list(of schema: Schema, count: Int? = nil) -> Schema {
    Schema { (value) throws(Invalid) in
      guard let array = value.array else { throw Invalid("expected a list") }
      var result: [JSON] = []
      for (index, element) in array.enumerated() {
        result.append(
          try located(at: .index(index)) { () throws(Invalid) in try schema(element) })
      }
      if let count, array.count != count {
        throw Invalid(
          "length of value must be at \(array.count < count ? "least" : "most") \(count)")
      }
      return .array(result)
    }
  }

  /// A list of any length; a single value counts as a list of one and null as an empty list.
  static func listOrOne(of schema: Schema) -> Schema {
    Schema { (value) throws(Invalid) in
      var result: [JSON] = []
      for (index, element) in (value.array ?? (value.isNull ? [] : [value])).enumerated() {
        result.append(
          try located(at: .index(index)) { () throws(Invalid) in try schema(element) })
      }
      return .array(result)
    }
  }

  /// A dictionary with any keys, all of whose values pass.
  static func dictionary(of schema: Schema) -> Schema {
    Schema { (value) throws(Invalid) in
      guard let object = value.object else { throw Invalid("expected a dictionary") }
      var result = JSONObject()
      for (key, value) in object.pairs {
        result[key] = try located(at: .key(key)) { () throws(Invalid) in try schema(value) }
      }
      return .object(result)
    }
  }

  /// Runs a check of something inside, and says where it was if it objects.
  static func located(
    at step: Problem.Step, _ check: () throws(Invalid) -> JSON
  ) throws(Invalid) -> JSON {
    do throws(Invalid) { return try check() } catch {
      throw Invalid(
        error.problems.map { problem in
          var problem = problem
          if problem.path.isEmpty, case .value = problem.kind, case .key = step {
            problem.isDictionaryValue = true
          }
          problem.path.insert(step, at: 0)
          return problem
        })
    }
  }
}

extension String {
  var trimmed: String {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
