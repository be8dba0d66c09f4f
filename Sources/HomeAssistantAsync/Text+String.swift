// The core uses `Text`, which Embedded Swift can compare; programs with tasks use `String`.

extension String {
  /// Creates a string of this text. Bytes that are not UTF-8 become U+FFFD.
  public init(_ text: Text) { self = text.string }
  /// Creates a string of this identifier, such as `light.kitchen`.
  public init(_ id: EntityID) { self = id.text.string }
}

extension Text {
  /// Compares the UTF-8 of both. Unicode has several spellings of some characters, which are
  /// different texts here, as in Home Assistant.
  public static func == (left: Text, right: String) -> Bool {
    left.bytes.elementsEqual(right.utf8)
  }
  /// Compares the UTF-8 of both.
  public static func == (left: String, right: Text) -> Bool { right == left }
  /// Compares the UTF-8 of both.
  public static func != (left: Text, right: String) -> Bool { !(left == right) }
  /// Compares the UTF-8 of both.
  public static func != (left: String, right: Text) -> Bool { !(right == left) }
}

extension EntityID {
  /// Creates an identifier such as `light.kitchen`; fails if the string is not `domain.name`.
  @_disfavoredOverload
  public init?(_ string: String) { self.init(Text(string)) }
}

extension JSON {
  /// Creates a string.
  @_disfavoredOverload
  public init(_ string: String) { self = .text(Text(string)) }
  /// Creates a whole number.
  public init(_ number: Int) { self = .number(JSONNumber(Int64(number))) }
  /// Creates a number; fails if it is infinite or NaN, which JSON cannot represent.
  public init?(_ number: Double) {
    guard let number = JSONNumber(number) else { return nil }
    self = .number(number)
  }
  /// Creates `true` or `false`.
  public init(_ truth: Bool) { self = .boolean(truth) }

  /// Value of a string; nil for any other kind.
  public var string: String? { if case .text(let text) = self { text.string } else { nil } }
}

extension JSONObject {
  /// Creates an object with these members, in the order of their keys.
  public init(_ members: [String: JSON]) {
    self.init()
    for (key, value) in members.sorted(by: { $0.key < $1.key }) { self[Text(key)] = value }
  }

  /// Value of a member; nil if there is none.
  @_disfavoredOverload
  public subscript(key: String) -> JSON? {
    get { self[Text(key)] }
    set { self[Text(key)] = newValue }
  }
}
