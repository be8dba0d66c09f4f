/// What a schema objects to, in words for people.
struct Invalid: Error, Equatable {
  var message: String
  /// Whether the message says where.
  var isPlaced = false

  init(_ message: String, isPlaced: Bool = false) {
    (self.message, self.isPlaced) = (message, isPlaced)
  }
}

/// A check of one JSON value that may also change it: coerce it, fill in a default, drop a key.
///
/// Schemas are data built from the combinators below. They accept what the validation library of
/// Home Assistant accepts; the words are their own.
struct Schema: Sendable {
  let check: @Sendable (JSON) throws(Invalid) -> JSON

  init(_ check: @escaping @Sendable (JSON) throws(Invalid) -> JSON) { self.check = check }

  /// A check that returns nil for what it objects to, always for the same reason. It writes
  /// `.none`: beside a `JSON`, `nil` is the null of JSON, which is no objection.
  init(_ message: String, _ check: @escaping @Sendable (JSON) -> JSON?) {
    self.init { (value) throws(Invalid) in
      guard let result = check(value) else { throw Invalid(message) }
      return result
    }
  }

  func callAsFunction(_ value: JSON) throws(Invalid) -> JSON { try check(value) }

  /// This check, then the next one on its result.
  func then(_ next: Schema) -> Schema {
    Schema { (value) throws(Invalid) in try next(try check(value)) }
  }
}

// MARK: Scalars

extension Schema {
  static let anything = Schema { (value) throws(Invalid) in value }

  /// Turns numbers and booleans into text; null and containers are refused.
  static let string = Schema("value should be a string") { value in
    switch value {
    case .null, .array, .object: .none
    default: .string(Python.str(value))
    }
  }

  /// "sensor.boat_cpu", in small letters.
  static let entityID = Schema("not the id of an entity") { value in
    let id = Python.str(value).lowercased()
    return Slug.isEntityID(id) ? .string(id) : .none
  }

  /// Entity ids as a list, or as one text with commas.
  static let entityIDs = Schema { (value) throws(Invalid) in
    let parts = Python.str(value).split(separator: ",").map { JSON.string(String($0).trimmed) }
    return try list(of: entityID)(.array(value.array ?? parts))
  }

  static let icon = Schema("an icon is \"prefix:name\"") { value in
    let text = Python.str(value)
    return text.contains(":") ? .string(text) : .none
  }

  /// Text, and nothing that could be turned into it.
  static let text = Schema("expected str") { $0.string == nil ? .none : $0 }

  static let textOrNull = nullOr(text)

  /// An integer; to Python a boolean is one.
  static let integer = Schema("expected int") { value in
    switch value {
    case .integer, .bool: value
    default: .none
    }
  }

  /// A real boolean.
  static let strictBoolean = Schema("expected bool") { $0.bool == nil ? .none : $0 }

  /// A boolean, a number, or one of ten words.
  static let boolean = Schema("invalid boolean value") { value in
    switch value {
    case .bool: return value
    case .integer, .float: return .bool(Python.isTrue(value))
    case .string(let text):
      let word = text.lowercased().trimmed
      if ["1", "true", "yes", "on", "enable"].contains(word) { return true }
      return ["0", "false", "no", "off", "disable"].contains(word) ? false : .none
    default: return .none
    }
  }

  /// Any scalar, null included: what a state may be.
  static let scalar = Schema("expected a single value") { value in
    value.array == nil && value.object == nil ? value : .none
  }

  /// An integer of at least 0; fractions are cut off, not rounded.
  static let positiveInteger = Schema("expected a whole number of at least 0") { value in
    Python.int(value).flatMap { $0 >= 0 ? .integer($0) : .none }
  }

  static let float = Schema("expected float") { Python.float($0).map(JSON.float) }

  /// A float within limits; NaN is outside every limit.
  static func float(in range: ClosedRange<Double>) -> Schema {
    Schema("expected float within \(range.lowerBound) and \(range.upperBound)") { value in
      Python.float(value).flatMap { range.contains($0) ? .float($0) : .none }
    }
  }

  /// True, or a number equal to it.
  static let literalTrue = Schema("expected true") { value in
    switch value {
    case .bool(true), .integer(1), .float(1): value
    default: .none
    }
  }

  static func oneOf(_ choices: [String]) -> Schema {
    Schema("value must be one of \(choices.joined(separator: ", "))") { value in
      value.string.flatMap { choices.contains($0) ? value : .none }
    }
  }

  /// A word of a long list.
  static func word(of choices: Set<String>, ignoringCase: Bool = false) -> Schema {
    Schema("not a valid value") { value in
      let text = ignoringCase ? Python.str(value).lowercased() : value.string ?? ""
      return choices.contains(text) ? .string(text) : .none
    }
  }

  static func nullOr(_ schema: Schema) -> Schema {
    Schema { (value) throws(Invalid) in value.isNull ? .null : try schema(value) }
  }
}

// MARK: Containers

extension Schema {
  static let dictionary = Schema("expected a dictionary") { $0.object == nil ? .none : $0 }

  static let dictionaryOrList = Schema("expected a dictionary") { value in
    value.object == nil && value.array == nil ? .none : value
  }

  /// A list of exactly these.
  static func sequence(_ schemas: Schema...) -> Schema {
    Schema { (value) throws(Invalid) in
      guard let array = value.array, array.count == schemas.count else {
        throw Invalid("expected a list of \(schemas.count)")
      }
      var result: [JSON] = []
      for (schema, element) in zip(schemas, array) { result.append(try schema(element)) }
      return .array(result)
    }
  }

  static func list(of schema: Schema) -> Schema {
    Schema("expected a list") { $0.array == nil ? .none : $0 }.then(listOrOne(of: schema))
  }

  /// A list of any length; a single value counts as a list of one and null as an empty list.
  static func listOrOne(of schema: Schema) -> Schema {
    Schema { (value) throws(Invalid) in
      var result: [JSON] = []
      for (index, element) in (value.array ?? (value.isNull ? [] : [value])).enumerated() {
        result.append(try schema.check(element, at: "element \(index)"))
      }
      return .array(result)
    }
  }

  /// A dictionary with any keys, all of whose values pass.
  static func dictionary(of schema: Schema) -> Schema {
    dictionary.then(
      Schema { (value) throws(Invalid) in
        var result = JSONObject()
        for (key, value) in value.object?.pairs ?? [] {
          result[key] = try schema.check(value, at: key)
        }
        return .object(result)
      })
  }

  /// Checks something inside, and says where it was if it objects.
  private func check(_ value: JSON, at place: String) throws(Invalid) -> JSON {
    do throws(Invalid) { return try check(value) } catch {
      let message =
        error.isPlaced
        ? "\(place), \(error.message)" : "\(place): \(error.message) (got \(value.abbreviated))"
      throw Invalid(message, isPlaced: true)
    }
  }
}

// MARK: Dictionaries with known keys

/// A key of a dictionary schema.
struct Field: Sendable {
  var key: String
  var schema: Schema
  var isRequired: Bool
  var fallback: JSON?

  static func required(_ key: String, _ schema: Schema) -> Field {
    Field(key: key, schema: schema, isRequired: true, fallback: nil)
  }

  /// A key that may be missing; with a default it is then filled in.
  static func optional(_ key: String, _ schema: Schema, default fallback: JSON? = nil) -> Field {
    Field(key: key, schema: schema, isRequired: false, fallback: fallback)
  }
}

/// What becomes of keys a schema does not know.
enum ExtraKeys: Sendable {
  case refused
  case kept
  case removed
}

extension Schema {
  static func shape(_ fields: [Field], extra: ExtraKeys = .refused) -> Schema {
    let known = Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0) })
    return dictionary.then(
      Schema { (value) throws(Invalid) in
        let object = value.object ?? [:]
        var result = JSONObject()
        for (key, value) in object.pairs {
          if let field = known[key] {
            result[key] = try field.schema.check(value, at: key)
          } else if extra == .refused {
            throw Invalid("extra key \"\(key)\"", isPlaced: true)
          } else if extra == .kept {
            result[key] = value
          }
        }
        for field in fields where object[field.key] == nil {
          if field.isRequired {
            throw Invalid("required key \"\(field.key)\" is missing", isPlaced: true)
          }
          result[field.key] = field.fallback
        }
        return .object(result)
      })
  }

  /// Objects if the first key is there without the second.
  static func key(_ key: String, needs other: String) -> Schema {
    dictionary.then(
      Schema("\(key) needs \(other)") { value in
        value[key] != nil && value[other] == nil ? .none : value
      })
  }

  /// Objects if only some of these keys are there.
  static func together(_ keys: [String]) -> Schema {
    Schema { (value) throws(Invalid) in
      let present = keys.count { value[$0] != nil }
      if present == 0 || present == keys.count { return value }
      // Without the values: one of them is a secret.
      throw Invalid("\(keys.joined(separator: " and ")) belong together", isPlaced: true)
    }
  }
}

extension JSON {
  /// Compact JSON, cut where a person stops reading.
  var abbreviated: String {
    let text = self.text
    return text.count > 60 ? text.prefix(57) + "..." : text
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
