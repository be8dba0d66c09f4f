public import Bytes

/// What names an entity, such as `light.kitchen`: a domain, a point, and a name within it.
public struct EntityID: Hashable, Sendable {
  /// The whole id.
  public let text: Text

  /// Nil where the text has no point, or nothing at one side of the first.
  public init?(_ text: Text) {
    guard let point = text.bytes.firstIndex(of: UInt8(ascii: ".")), point > 0,
      point < text.bytes.count - 1
    else { return nil }
    self.text = text
  }

  /// What stands in front of the first point.
  public var domain: Text { Text([UInt8](text.bytes[..<point])) }
  /// What stands behind the first point.
  public var name: Text { Text([UInt8](text.bytes[(point + 1)...])) }

  /// Whether this is an entity of the domain; makes no new text.
  public func isOf(domain: Text) -> Bool {
    point == domain.bytes.count && text.hasPrefix(domain)
  }

  private var point: Int {
    guard let point = text.bytes.firstIndex(of: UInt8(ascii: ".")) else {
      preconditionFailure("an entity's id has a point")
    }
    return point
  }
}

extension EntityID: Comparable {
  public static func < (left: EntityID, right: EntityID) -> Bool { left.text < right.text }
}

extension EntityID: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) {
    guard let id = EntityID(try json.text()) else {
      throw .invalidValue(key: JSONDecodingError.root)
    }
    self = id
  }
}

extension EntityID: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral literal: StaticString) {
    guard let id = EntityID(Text(stringLiteral: literal)) else {
      preconditionFailure("a literal of an entity's id has a domain and a name")
    }
    self = id
  }

  public var description: String { text.string }
}

extension JSON {
  static func texts(_ texts: [Text]) -> JSON { .array(texts.map(JSON.text)) }
  static func ids(_ ids: [EntityID]) -> JSON { .array(ids.map { .text($0.text) }) }
  static func time(_ time: WallTime) -> JSON { .text(Text(iso8601: time)) }
}
