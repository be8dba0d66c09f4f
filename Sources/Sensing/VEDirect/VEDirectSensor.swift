public import Bytes

/// A sensor of a Victron device: a label of VE.Direct, the form of its value, and its description
/// for Home Assistant.
public struct VEDirectSensor: Sendable {
  /// Form of a value, and its conversion.
  enum Format: Sendable {
    /// A whole number: the number of its decimals, and of the decimals to report.
    case number(UInt8, UInt8)
    /// A whole number of minutes; -1 means without limit.
    case minutes
    /// `ON` or `OFF`.
    case onOff
    /// A number with a word for each value.
    case words(VEDirectWords)
    /// A number with a word for each bit.
    case bits(VEDirectWords)
  }

  /// The meaning of a label's value.
  public enum Answer: Equatable, Sendable {
    case value(Value)
    /// The device has no value now (`---`), or an invalid one.
    case none
    /// A number outside of the sensor's range.
    case implausible(FixedPoint)
  }

  let label: StaticString
  /// Key in the configuration, and end of the unique id.
  public let key: StaticString
  private let words: StaticString?
  private let unit: StaticString?
  private let deviceClass: StaticString?
  private let stateClass: StaticString?
  private let format: Format
  private let icon: StaticString?
  private let isDiagnostic: Bool
  /// Plausible range of the number; nil if there is none.
  let range: PlausibleRange?

  init(
    _ label: StaticString, _ key: StaticString, words: StaticString? = nil,
    unit: StaticString? = nil, deviceClass: StaticString? = nil,
    stateClass: StaticString? = "measurement", _ format: Format, icon: StaticString? = nil,
    isDiagnostic: Bool = false
  ) {
    self.label = label
    self.key = key
    self.words = words
    self.unit = unit
    self.deviceClass = deviceClass
    self.stateClass = format.isNumber ? stateClass : nil
    self.format = format
    self.icon = icon
    self.isDiagnostic = isDiagnostic
    range = Self.range(of: deviceClass, in: unit)
  }

  /// Returns nil without a class: the table has percent as a share, and a deviation is not one.
  private static func range(
    of deviceClass: StaticString?, in unit: StaticString?
  ) -> PlausibleRange? {
    guard let deviceClass, let unit else { return nil }
    let isCharge = [UInt8](deviceClass).span.elementsEqual("battery")
    return isCharge ? PlausibleRange.ofCharge : KernelPart(named: []).range(of: unit)
  }

  /// Returns the description of this sensor for Home Assistant; `identity` identifies the device,
  /// and `name` is its display name.
  func description(
    of identity: [UInt8], named name: [UInt8], icon: [UInt8]?
  ) -> SensorDescription {
    SensorDescription(
      uniqueID: uniqueID("ve_direct_", identity.span) + [UInt8(ascii: "_")] + [UInt8](key),
      name: name + [UInt8(ascii: " ")] + (words.map { [UInt8]($0) } ?? spokenKey),
      kind: format.isOnOff ? .binarySensor : .sensor,
      unit: unit.map { [UInt8]($0) }, deviceClass: deviceClass.map { [UInt8]($0) },
      stateClass: stateClass.map { [UInt8]($0) }, icon: icon ?? self.icon.map { [UInt8]($0) },
      isDiagnostic: isDiagnostic)
  }

  private var spokenKey: [UInt8] {
    [UInt8](key).map { $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0 }
  }

  // MARK: Values

  func answer(_ text: Span<UInt8>) -> Answer {
    switch format {
    case .number(let decimals, let shown):
      guard let number = Self.number(text) else { return .none }
      let value = FixedPoint(number, decimals: decimals)
      if let range, !range.contains(value) { return .implausible(value) }
      return .value(.number(value.rounded(to: shown)))
    case .minutes:
      guard let number = Self.number(text), number >= -1 else { return .none }
      return .value(number == -1 ? .unknown : .number(FixedPoint(number)))
    case .onOff:
      if text.elementsEqualIgnoringCase("on") { return .value(.boolean(true)) }
      return text.elementsEqualIgnoringCase("off") ? .value(.boolean(false)) : .none
    case .words(let words):
      return Self.number(text).map { .value(.text(words.word(of: $0))) } ?? .none
    case .bits(let words):
      return Self.number(text).map { .value(.text(words.words(ofBits: $0))) } ?? .none
    }
  }

  /// Parses a whole number of VE.Direct: decimal with an optional minus, or hexadecimal after `0x`.
  private static func number(_ text: Span<UInt8>) -> Int64? {
    guard text.starts(with: "0x") || text.starts(with: "0X") else {
      return KernelText.integer(text, in: Int64(Int32.min)...Int64(UInt32.max))
    }
    guard (3...10).contains(text.count) else { return nil }
    var number: Int64 = 0
    for index in 2..<text.count {
      guard let digit = hexadecimalValue(of: text[index]) else { return nil }
      number = number << 4 | Int64(digit)
    }
    return number
  }
}

extension VEDirectSensor.Format {
  fileprivate var isNumber: Bool {
    switch self {
    case .number, .minutes: true
    case .onOff, .words, .bits: false
    }
  }

  fileprivate var isOnOff: Bool { if case .onOff = self { true } else { false } }
}

extension VEDirectSensor {
  /// Number of sensors.
  public static var count: Int { all.count }

  /// Returns the name of a sensor in messages, such as `T of serial0`.
  public static func name(_ number: Int, of device: InlineText) -> InlineText {
    InlineText(([UInt8](all[number].label) + [UInt8](" of ") + [UInt8](device.bytes)).span)
  }

  /// Keys of the configuration, by number.
  public static var keys: [StaticString] { all.map { $0.key } }

  /// Returns the description of the sensor with this number for Home Assistant. `identity`
  /// identifies the device, `name` is its display name, and `icon`, if given, replaces the sensor's
  /// own.
  public static func description(
    _ number: Int, of identity: [UInt8], named name: [UInt8], icon: [UInt8]?
  ) -> SensorDescription {
    all[number].description(of: identity, named: name, icon: icon)
  }
}

extension VEDirectSensor {
  /// Time to go is the charge divided by the present current, and jumps with it.
  private static let minutesMinChange = FixedPoint(5)

  /// Whether the sensor is a measurement, and so has a minimum change.
  public var isMeasured: Bool { hasStateClass("measurement") }

  /// Whether the sensor is a count.
  public var isCounted: Bool { hasStateClass("total_increasing") }

  private func hasStateClass(_ word: StaticString) -> Bool {
    stateClass.map { [UInt8]($0).span.elementsEqual(word) } ?? false
  }

  /// Smallest change to report if neither the configuration nor the class sets one.
  public var standardMinChange: FixedPoint? {
    if case .minutes = format { Self.minutesMinChange } else { nil }
  }
}

/// A set of sensors, by number.
public struct VEDirectSensors: Equatable, Sendable {
  private var bits: UInt64 = 0

  public static let none = VEDirectSensors()
  public static let usual = VEDirectSensors(0..<VEDirectSensor.usualCount)
  static let all = VEDirectSensors(0..<VEDirectSensor.count)

  private init() {}

  public init(_ numbers: some Sequence<Int>) {
    precondition(VEDirectSensor.count <= UInt64.bitWidth, "each sensor has a bit")
    for number in numbers { insert(number) }
  }

  public var isEmpty: Bool { bits == 0 }
  public func contains(_ number: Int) -> Bool { bits >> UInt64(number) & 1 == 1 }
  mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }
  mutating func insert(all others: VEDirectSensors) { bits |= others.bits }
  func isSubset(of others: VEDirectSensors) -> Bool { bits & ~others.bits == 0 }
  func intersection(_ others: VEDirectSensors) -> VEDirectSensors {
    var both = self
    both.bits &= others.bits
    return both
  }
}
