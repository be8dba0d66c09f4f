/// A JSON value as Python sees it: integers, floats and booleans are three different things.
///
/// Integers hold 128 bits because Home Assistant's truncation of `1e30` to an int must survive
/// here long enough to break `GET /api/states`, as it does there.
public enum JSON: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int128)
  case float(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

/// An object that keeps the order of its keys. A key given twice keeps its first place and its
/// last value, as a Python dictionary does.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
  public private(set) var keys: [String] = []
  private var values: [String: JSON] = [:]

  public init() {}

  public init(dictionaryLiteral elements: (String, JSON)...) {
    for (key, value) in elements { self[key] = value }
  }

  /// An object from computed keys.
  public init(_ pairs: [(String, JSON)]) {
    for (key, value) in pairs { self[key] = value }
  }

  public subscript(key: String) -> JSON? {
    get { values[key] }
    set {
      if values.updateOrRemove(newValue, at: key) {
        if newValue == nil { keys.removeAll { $0 == key } }
      } else if newValue != nil {
        keys.append(key)
      }
    }
  }

  public var isEmpty: Bool { keys.isEmpty }
  public var count: Int { keys.count }

  /// The pairs in order.
  public var pairs: [(key: String, value: JSON)] {
    keys.compactMap { key in values[key].map { (key, $0) } }
  }

  /// Adds every pair of the other object, which wins.
  public mutating func merge(_ other: JSONObject) {
    for (key, value) in other.pairs { self[key] = value }
  }

  public func merging(_ other: JSONObject) -> JSONObject {
    var merged = self
    merged.merge(other)
    return merged
  }
}

extension JSONObject: Equatable {
  /// The order of keys does not count.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.values == right.values
  }
}

extension Dictionary {
  /// Sets or removes a value, and says whether the key was there before.
  fileprivate mutating func updateOrRemove(_ value: Value?, at key: Key) -> Bool {
    guard let value else { return removeValue(forKey: key) != nil }
    return updateValue(value, forKey: key) != nil
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
  public init(floatLiteral value: Double) { self = .float(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) {
    var object = JSONObject()
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}

extension JSON {
  public init(_ value: String?) { self = value.map(JSON.string) ?? .null }

  /// The value of a key, or nil if this is no object or has no such key.
  public subscript(key: String) -> JSON? { object?[key] }

  /// The element at an index, or nil if this is no array or shorter.
  public subscript(index: Int) -> JSON? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  public var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  public var object: JSONObject? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  public var array: [JSON]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  public var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// An integer or a float as a float; a boolean is neither.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .float(let value): value
    default: nil
    }
  }

  var isNull: Bool { self == .null }
}
