extension JSON: JSONDecodable {
  public init(json: JSON) { self = json }
}

extension JSONObject: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) { self = try json.object() }
}

extension JSONNumber: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) { self = try json.number() }
}

extension Text: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) { self = try json.text() }
}

extension String: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) { self = try json.text().string }
}

extension Bool: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) { self = try json.boolean() }
}

extension Int64: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) {
    guard let integer = try json.number().integer else {
      throw .invalidValue(key: JSONDecodingError.root)
    }
    self = integer
  }
}

extension Int: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) {
    guard let integer = Int(exactly: try Int64(json: json)) else {
      throw .invalidValue(key: JSONDecodingError.root)
    }
    self = integer
  }
}

extension Double: JSONDecodable {
  /// Reads a finite number; one that is too large for a `Double` is invalid.
  public init(json: JSON) throws(JSONDecodingError) {
    let double = try json.number().double
    guard double.isFinite else { throw .invalidValue(key: JSONDecodingError.root) }
    self = double
  }
}

extension WallTime: JSONDecodable {
  /// Reads a number of seconds since 1970, or a text in ISO 8601. Rounds to the microsecond, Home
  /// Assistant's resolution, since it may write seven digits after the point.
  public init(json: JSON) throws(JSONDecodingError) {
    guard let time = try Self.time(json) else {
      throw .invalidValue(key: JSONDecodingError.root)
    }
    self = time
  }

  private static func time(_ json: JSON) throws(JSONDecodingError) -> WallTime? {
    if case .number(let number) = json {
      guard let microseconds = number.scaled(byPowerOfTen: 6) else { return nil }
      let (nanoseconds, overflowed) = microseconds.multipliedReportingOverflow(by: 1000)
      return overflowed ? nil : WallTime(nanoseconds: nanoseconds)
    }
    let text = try json.text()
    return WallTime(iso8601: text.bytes.span)
  }
}

extension Optional: JSONDecodable where Wrapped: JSONDecodable {
  /// Reads null as nil. For a member that may be missing, use `getIfPresent`.
  public init(json: JSON) throws(JSONDecodingError) {
    guard json != .null else {
      self = nil
      return
    }
    self = try Wrapped(json: json)
  }
}

extension Array: JSONDecodable where Element: JSONDecodable {
  /// Fails if any element does not decode; `LossyArray` leaves such elements out.
  public init(json: JSON) throws(JSONDecodingError) {
    let elements = try json.array()
    self.init()
    reserveCapacity(elements.count)
    for element in elements { append(try Element(json: element)) }
  }
}

extension Dictionary: JSONDecodable where Key == Text, Value: JSONDecodable {
  /// Reads the members of an object, all of one type.
  public init(json: JSON) throws(JSONDecodingError) {
    let object = try json.object()
    self.init(minimumCapacity: object.count)
    for member in object.members { self[member.key] = try object.get(member.key, as: Value.self) }
  }
}

/// Array that leaves out and counts the elements that do not decode.
public struct LossyArray<Element: JSONDecodable>: JSONDecodable {
  /// Elements that decoded, in their order.
  public let elements: [Element]
  /// Number of elements that did not decode.
  public let skippedCount: Int

  public init(json: JSON) throws(JSONDecodingError) {
    var elements: [Element] = []
    var skippedCount = 0
    for json in try json.array() {
      do throws(JSONDecodingError) { elements.append(try Element(json: json)) } catch {
        skippedCount += 1
      }
    }
    self.elements = elements
    self.skippedCount = skippedCount
  }
}

extension LossyArray: RandomAccessCollection {
  public var startIndex: Int { elements.startIndex }
  public var endIndex: Int { elements.endIndex }
  public subscript(index: Int) -> Element { elements[index] }
}

extension LossyArray: Equatable where Element: Equatable {}
extension LossyArray: Sendable where Element: Sendable {}

/// Decoding for types with raw values: `enum Origin: Text, JSONDecodable` is enough.
extension JSONDecodable where Self: RawRepresentable, RawValue: JSONDecodable {
  public init(json: JSON) throws(JSONDecodingError) {
    guard let value = Self(rawValue: try RawValue(json: json)) else {
      throw .invalidValue(key: JSONDecodingError.root)
    }
    self = value
  }
}
