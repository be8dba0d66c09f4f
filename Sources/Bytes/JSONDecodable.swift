/// Type that can be decoded from JSON, strictly: true is not a number, and 1.0 not an integer.
public protocol JSONDecodable {
  /// Reads the value and ignores unknown members.
  ///
  /// - Throws: `JSONDecodingError`, which names the key.
  init(json: JSON) throws(JSONDecodingError)
}

extension JSONDecodable {
  /// Decodes the only value of a JSON text.
  public init(decoding text: Span<UInt8>) throws(JSONDecodingError) {
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: text) } catch { throw .malformed(error) }
    try self.init(json: json)
  }
}

/// Reason of a failed decoding, with the key of the member. The value itself, which may be secret,
/// is not included.
public enum JSONDecodingError: Error, Equatable, Sendable {
  /// The member is missing.
  case missingKey(Text)
  /// The value has another kind than expected.
  case wrongKind(key: Text, expected: JSON.Kind, found: JSON.Kind)
  /// The kind is right, but the value is not allowed.
  case invalidValue(key: Text)
  /// The text is not JSON.
  case malformed(JSONError)

  /// Key for a value that is not a member of an object.
  public static let root: Text = "root"

  /// Adds `key` to an error about the whole value; other errors already name a member.
  func located(at key: Text) -> JSONDecodingError {
    switch self {
    case .wrongKind(Self.root, let expected, let found):
      .wrongKind(key: key, expected: expected, found: found)
    case .invalidValue(Self.root): .invalidValue(key: key)
    default: self
    }
  }
}

extension JSON {
  /// Returns the truth value; throws if the value has another kind.
  public func boolean() throws(JSONDecodingError) -> Bool {
    guard case .boolean(let truth) = self else { throw wrongKind(.boolean) }
    return truth
  }

  /// Returns the number; throws if the value has another kind.
  public func number() throws(JSONDecodingError) -> JSONNumber {
    guard case .number(let number) = self else { throw wrongKind(.number) }
    return number
  }

  /// Returns the string; throws if the value has another kind.
  public func text() throws(JSONDecodingError) -> Text {
    guard case .text(let text) = self else { throw wrongKind(.string) }
    return text
  }

  /// Returns the elements of the array; throws if the value has another kind.
  public func array() throws(JSONDecodingError) -> [JSON] {
    guard case .array(let elements) = self else { throw wrongKind(.array) }
    return elements
  }

  /// Returns the object; throws if the value has another kind.
  public func object() throws(JSONDecodingError) -> JSONObject {
    guard case .object(let object) = self else { throw wrongKind(.object) }
    return object
  }

  private func wrongKind(_ expected: Kind) -> JSONDecodingError {
    .wrongKind(key: JSONDecodingError.root, expected: expected, found: kind)
  }
}

// Members

/// Value with members: a `JSONObject`, or a `JSON` that should be one.
public protocol JSONKeyed {
  /// Returns the object; throws if the value has another kind.
  func object() throws(JSONDecodingError) -> JSONObject
}

extension JSON: JSONKeyed {}

extension JSONObject: JSONKeyed {
  public func object() -> JSONObject { self }
}

/// Each function that throws also throws if the value is not an object.
extension JSONKeyed {
  /// Returns a required member; throws if it is missing or does not decode.
  public func get<Value: JSONDecodable>(
    _ key: Text, as: Value.Type = Value.self
  ) throws(JSONDecodingError) -> Value {
    guard let json = try object()[key] else { throw .missingKey(key) }
    do { return try Value(json: json) } catch { throw error.located(at: key) }
  }

  /// Returns an optional member, or nil if it is missing or null; throws if it does not decode.
  public func getIfPresent<Value: JSONDecodable>(
    _ key: Text, as: Value.Type = Value.self
  ) throws(JSONDecodingError) -> Value? {
    guard let json = try object()[key], json != .null else { return nil }
    do { return try Value(json: json) } catch { throw error.located(at: key) }
  }

  /// Returns an optional member, or `value` if it is missing or null; throws if it does not decode.
  public func get<Value: JSONDecodable>(
    _ key: Text, default value: @autoclosure () -> Value
  ) throws(JSONDecodingError) -> Value {
    try getIfPresent(key) ?? value()
  }

  /// Returns a member, or `value` if it is missing or does not decode, or this is not an object.
  public func get<Value: JSONDecodable>(
    _ key: Text, orOnFailure value: @autoclosure () -> Value
  ) -> Value {
    do throws(JSONDecodingError) { return try get(key) } catch { return value() }
  }

  /// Returns a required member, converted by `transform`; throws if it is missing or does not
  /// decode. A nil from `transform` is an invalid value.
  public func get<Base: JSONDecodable, Value>(
    _ key: Text, transform: (Base) -> Value?
  ) throws(JSONDecodingError) -> Value {
    guard let value = transform(try get(key)) else { throw .invalidValue(key: key) }
    return value
  }

  /// Returns a required array; leaves out and counts the elements that do not decode.
  public func getLossy<Element: JSONDecodable>(
    _ key: Text, of: Element.Type = Element.self
  ) throws(JSONDecodingError) -> LossyArray<Element> {
    try get(key)
  }
}
