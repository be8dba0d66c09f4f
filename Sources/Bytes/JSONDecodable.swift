/// What can be made of a JSON value. Strict about kinds: true is no number, and 1.0 no integer.
public protocol JSONDecodable {
  /// Reads the value. Members that are not asked for are passed over.
  ///
  /// - Throws: `JSONDecodingError`, which names the key.
  init(json: JSON) throws(JSONDecodingError)
}

extension JSONDecodable {
  /// The value that a whole text of JSON is.
  public init(decoding text: Span<UInt8>) throws(JSONDecodingError) {
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: text) } catch { throw .malformed(error) }
    try self.init(json: json)
  }
}

/// Why a value is not what was expected, and of which member. The value itself, which may be
/// secret, is not in it.
public enum JSONDecodingError: Error, Equatable, Sendable {
  /// There is no such member.
  case missingKey(Text)
  /// The value is of another kind.
  case wrongKind(key: Text, expected: JSON.Kind, found: JSON.Kind)
  /// The right kind, but a value that does not belong there.
  case invalidValue(key: Text)
  /// The text was not JSON.
  case malformed(JSONError)

  /// The key of a value that has none, since it stands in no object.
  public static let root: Text = "root"

  /// The same at `key`, where it is about the whole value; else it names a member already.
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
  /// The truth that this is; throws where it is something else.
  public func boolean() throws(JSONDecodingError) -> Bool {
    guard case .boolean(let truth) = self else { throw wrongKind(.boolean) }
    return truth
  }

  /// The number that this is; throws where it is something else.
  public func number() throws(JSONDecodingError) -> JSONNumber {
    guard case .number(let number) = self else { throw wrongKind(.number) }
    return number
  }

  /// The string that this is; throws where it is something else.
  public func text() throws(JSONDecodingError) -> Text {
    guard case .text(let text) = self else { throw wrongKind(.string) }
    return text
  }

  /// The elements of the array that this is; throws where it is something else.
  public func array() throws(JSONDecodingError) -> [JSON] {
    guard case .array(let elements) = self else { throw wrongKind(.array) }
    return elements
  }

  /// The object that this is; throws where it is something else.
  public func object() throws(JSONDecodingError) -> JSONObject {
    guard case .object(let object) = self else { throw wrongKind(.object) }
    return object
  }

  private func wrongKind(_ expected: Kind) -> JSONDecodingError {
    .wrongKind(key: JSONDecodingError.root, expected: expected, found: kind)
  }
}

// Members

extension JSONObject {
  /// A member that must be there.
  public func get<Value: JSONDecodable>(
    _ key: Text, as: Value.Type = Value.self
  ) throws(JSONDecodingError) -> Value {
    guard let json = self[key] else { throw .missingKey(key) }
    do { return try Value(json: json) } catch { throw error.located(at: key) }
  }

  /// A member that may be missing or null, but is otherwise right.
  public func getIfPresent<Value: JSONDecodable>(
    _ key: Text, as: Value.Type = Value.self
  ) throws(JSONDecodingError) -> Value? {
    guard let json = self[key], json != .null else { return nil }
    do { return try Value(json: json) } catch { throw error.located(at: key) }
  }

  /// The same with a value for when it is missing or null.
  public func get<Value: JSONDecodable>(
    _ key: Text, default value: @autoclosure () -> Value
  ) throws(JSONDecodingError) -> Value {
    try getIfPresent(key) ?? value()
  }

  /// The same with a value for whatever is wrong with it.
  public func get<Value: JSONDecodable>(
    _ key: Text, orOnFailure value: @autoclosure () -> Value
  ) -> Value {
    do throws(JSONDecodingError) { return try get(key) } catch { return value() }
  }

  /// A member that must be there, and of which `transform` makes something; nil is an invalid
  /// value.
  public func get<Base: JSONDecodable, Value>(
    _ key: Text, transform: (Base) -> Value?
  ) throws(JSONDecodingError) -> Value {
    guard let value = transform(try get(key)) else { throw .invalidValue(key: key) }
    return value
  }

  /// An array of which the elements that do not decode are left out.
  public func getLossy<Element: JSONDecodable>(
    _ key: Text, of: Element.Type = Element.self
  ) throws(JSONDecodingError) -> LossyArray<Element> {
    try get(key)
  }
}

extension JSON {
  /// A member that must be there, of the object that this is.
  public func get<Value: JSONDecodable>(
    _ key: Text, as: Value.Type = Value.self
  ) throws(JSONDecodingError) -> Value {
    try object().get(key)
  }

  /// A member of the object that this is, or nil where there is none or it is null. Throws where it
  /// does not decode, and where this is no object.
  public func getIfPresent<Value: JSONDecodable>(
    _ key: Text, as: Value.Type = Value.self
  ) throws(JSONDecodingError) -> Value? {
    try object().getIfPresent(key)
  }

  /// A member of the object that this is, or `value` where there is none or it is null. Throws
  /// where it does not decode, and where this is no object.
  public func get<Value: JSONDecodable>(
    _ key: Text, default value: @autoclosure () -> Value
  ) throws(JSONDecodingError) -> Value {
    try object().get(key, default: value())
  }

  /// A member of the object that this is, or `value` where anything at all is wrong with it.
  public func get<Value: JSONDecodable>(
    _ key: Text, orOnFailure value: @autoclosure () -> Value
  ) -> Value {
    guard case .object(let object) = self else { return value() }
    return object.get(key, orOnFailure: value())
  }

  /// A member of the object that this is, made into something else. Throws where there is none, it
  /// does not decode, or `transform` finds nothing in it.
  public func get<Base: JSONDecodable, Value>(
    _ key: Text, transform: (Base) -> Value?
  ) throws(JSONDecodingError) -> Value {
    try object().get(key, transform: transform)
  }

  /// The elements of an array that is a member of the object that this is. One that does not decode
  /// is left out and counted. Throws where there is no such array.
  public func getLossy<Element: JSONDecodable>(
    _ key: Text, of: Element.Type = Element.self
  ) throws(JSONDecodingError) -> LossyArray<Element> {
    try object().getLossy(key)
  }
}
