// The core speaks `Text`, which Embedded Swift can compare; programs with tasks speak `String`.

extension String {
  /// The same text. What is not UTF-8 becomes U+FFFD.
  public init(_ text: Text) { self = text.string }
  /// The id as Home Assistant writes it, such as `light.kitchen`.
  public init(_ id: EntityID) { self = id.text.string }
}

extension Text {
  /// Compares the UTF-8 of both. Unicode has several spellings of some characters; they are
  /// different texts here, as they are for Home Assistant.
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
  /// The entity with this id, such as `light.kitchen`; nil where the string is no `domain.name`.
  @_disfavoredOverload
  public init?(_ string: String) { self.init(Text(string)) }
}

extension JSON {
  /// A string.
  @_disfavoredOverload
  public init(_ string: String) { self = .text(Text(string)) }
  /// A whole number.
  public init(_ number: Int) { self = .number(JSONNumber(Int64(number))) }
  /// A number; nil where it is infinite or none, which JSON cannot write.
  public init?(_ number: Double) {
    guard let number = JSONNumber(number) else { return nil }
    self = .number(number)
  }
  /// `true` or `false`.
  public init(_ truth: Bool) { self = .boolean(truth) }

  /// The string that this is; nil where it is something else.
  public var string: String? { if case .text(let text) = self { text.string } else { nil } }
}

extension JSONObject {
  /// An object with these members, in the order of their keys.
  public init(_ members: [String: JSON]) {
    self.init()
    for (key, value) in members.sorted(by: { $0.key < $1.key }) { self[Text(key)] = value }
  }

  /// The value of a member; nil where there is none.
  @_disfavoredOverload
  public subscript(key: String) -> JSON? {
    get { self[Text(key)] }
    set { self[Text(key)] = newValue }
  }
}
