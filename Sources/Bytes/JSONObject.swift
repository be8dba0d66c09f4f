/// The members of a JSON object in the order they were written.
///
/// Where a key comes twice, the last value stands, in the place of the first: what Home Assistant's
/// own reader does. Two objects are equal where each has the other's members, in whatever order.
public struct JSONObject: Sendable {
  /// A key and what stands behind it.
  public typealias Member = (key: Text, value: JSON)

  /// Up to so many members, looking at each is quicker than hashing.
  static let scannedCountMax = 16

  /// Each key once, in the order they were written.
  public private(set) var members: [Member] = []
  /// Where each key stands; empty while the members are few.
  private var positions: [Text: Int] = [:]

  /// An object without members.
  public init() {}

  /// How many members there are.
  public var count: Int { members.count }
  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The value of a member. A new key goes to the end; nil removes the member (`JSON.null` is a
  /// value). Removing takes as long as there are members.
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

  /// Makes the members of `other` members of this object too; a value of `other` goes before one
  /// that was here.
  public mutating func merge(_ other: JSONObject) {
    for member in other.members { self[member.key] = member.value }
  }

  /// Removes the members with these keys, all of them in one pass over the members.
  ///
  /// - Returns: whether there were any.
  public mutating func remove(_ keys: [Text]) -> Bool {
    guard !keys.isEmpty else { return false }
    var isKept = [Bool](repeating: true, count: members.count)
    for key in keys { if let position = position(of: key) { isKept[position] = false } }
    var kept: [Member] = []
    for index in members.indices where isKept[index] { kept.append(members[index]) }
    guard kept.count < members.count else { return false }
    members = kept
    positions.removeAll(keepingCapacity: true)
    if members.count > Self.scannedCountMax { indexMembers() }
    return true
  }

  private func position(of key: Text) -> Int? {
    guard positions.isEmpty else { return positions[key] }
    for index in members.indices where members[index].key == key { return index }
    return nil
  }

  private mutating func append(_ key: Text, _ value: JSON) {
    members.append((key, value))
    if !positions.isEmpty {
      positions[key] = members.count - 1
    } else if members.count > Self.scannedCountMax {
      indexMembers()
    }
  }

  private mutating func remove(at position: Int) {
    members.remove(at: position)
    positions.removeAll(keepingCapacity: true)
    if members.count > Self.scannedCountMax { indexMembers() }
  }

  private mutating func indexMembers() {
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
