public import Bytes

/// Identifier of an entity, such as `light.kitchen`: a domain, a point, and a name within the
/// domain.
public struct EntityID: Hashable, Sendable {
  /// The whole id.
  public let text: Text

  /// Fails if the text has no point, or nothing on one side of the first.
  public init?(_ text: Text) {
    guard let point = text.bytes.firstIndex(of: UInt8(ascii: ".")), point > 0,
      point < text.bytes.count - 1
    else { return nil }
    self.text = text
  }

  /// Text before the first point.
  public var domain: Text { Text([UInt8](text.bytes[..<point])) }
  /// Text after the first point.
  public var name: Text { Text([UInt8](text.bytes[(point + 1)...])) }

  /// Whether this is an entity of the domain; allocates nothing.
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
  package static func texts(_ texts: [Text]) -> JSON { .array(texts.map(JSON.text)) }
  package static func ids(_ ids: [EntityID]) -> JSON { .array(ids.map { .text($0.text) }) }
  package static func time(_ time: WallTime) -> JSON { .text(Text(iso8601: time)) }
}
