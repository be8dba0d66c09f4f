/// Members of a JSON object in the order in which they were written.
///
/// If a key occurs twice, the last value is stored at the position of the first, as in Home
/// Assistant's own reader. Two objects are equal if they have the same members in any order.
public struct JSONObject: Sendable {
  /// Key and value.
  public typealias Member = (key: Text, value: JSON)

  /// Maximum number of members up to which a linear search is faster than hashing.
  static let scannedCountMax = 16

  /// Members in the order in which they were written; each key once.
  public private(set) var members: [Member] = []
  /// Index of each key in `members`; empty while there are at most `scannedCountMax` members.
  private var positions: [Text: Int] = [:]

  /// Creates an object without members.
  public init() {}

  /// Number of members.
  public var count: Int { members.count }
  /// Whether the object has no members.
  public var isEmpty: Bool { members.isEmpty }

  /// Value of a member. Setting a new key appends it; setting nil removes the member (`JSON.null`
  /// is a value). Removal takes linear time.
  public subscript(key: Text) -> JSON? {
    get { position(of: key).map { members[$0].value } }
    set {
      switch (position(of: key), newValue) {
      case (let position?, let value?): members[position].value = value
      case (nil, let value?): append(key, value)
      case (let position?, nil): remove(at: position)
      case (nil, nil): break
      }
    }
  }

  /// Adds the members of `other`; if both have a key, the value of `other` is stored.
  public mutating func merge(_ other: JSONObject) {
    for member in other.members { self[member.key] = member.value }
  }

  /// Removes the members with these keys in one pass. Returns whether a member was removed.
  public mutating func remove(_ keys: [Text]) -> Bool {
    guard !keys.isEmpty else { return false }
    var isKept = [Bool](repeating: true, count: members.count)
    for key in keys { if let position = position(of: key) { isKept[position] = false } }
    var kept: [Member] = []
    for index in members.indices where isKept[index] { kept.append(members[index]) }
    guard kept.count < members.count else { return false }
    members = kept
    indexMembers()
    return true
  }

  private func position(of key: Text) -> Int? {
    guard positions.isEmpty else { return positions[key] }
    for index in members.indices where members[index].key == key { return index }
    return nil
  }

  private mutating func append(_ key: Text, _ value: JSON) {
    members.append((key, value))
    if positions.isEmpty {
      indexMembers()
    } else {
      positions[key] = members.count - 1
    }
  }

  private mutating func remove(at position: Int) {
    members.remove(at: position)
    indexMembers()
  }

  private mutating func indexMembers() {
    positions.removeAll(keepingCapacity: true)
    guard members.count > Self.scannedCountMax else { return }
    for index in members.indices { positions[members[index].key] = index }
  }
}

extension JSONObject: Equatable {
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    for member in left.members where right[member.key] != member.value { return false }
    return true
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral members: (Text, JSON)...) {
    for (key, value) in members { self[key] = value }
  }
}
