import Foundation

/// A JSON value to compare with. A key or an index that is not there reads as `.absent`, which
/// equals nothing that a server can send.
enum JSON: Equatable, Sendable {
  case absent
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init?(parsing data: Data) {
    guard let json = try? JSONDecoder().decode(JSON.self, from: data) else { return nil }
    self = json
  }

  subscript(key: String) -> JSON {
    guard case .object(let members) = self else { return .absent }
    return members[key] ?? .absent
  }

  /// Without the key, when this is an object.
  func removing(_ key: String) -> JSON {
    guard case .object(var members) = self else { return self }
    members[key] = nil
    return .object(members)
  }

  func replacing(_ key: String, _ value: JSON) -> JSON {
    guard case .object(var members) = self else { return self }
    members[key] = value
    return .object(members)
  }

  var keys: Set<String> {
    guard case .object(let members) = self else { return [] }
    return Set(members.keys)
  }

  /// The values of an array, and nothing of anything else.
  var elements: [JSON] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  var number: Double? {
    guard case .number(let number) = self else { return nil }
    return number
  }

  /// The text of a string value.
  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }
}

extension JSON: CustomStringConvertible {
  var description: String { self == .absent ? "(absent)" : (try? encoded()) ?? "(no JSON)" }
}

extension JSON: Codable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSON].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .absent, .null: try value.encodeNil()
    case .bool(let bool): try value.encode(bool)
    case .number(let number): try value.encode(number)
    case .string(let string): try value.encode(string)
    case .array(let array): try value.encode(array)
    case .object(let members): try value.encode(members)
    }
  }

  /// The value as JSON text.
  func encoded() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByStringInterpolation
{
  init(nilLiteral: ()) { self = .null }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int) { self = .number(Double(value)) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(stringLiteral value: String) { self = .string(value) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
