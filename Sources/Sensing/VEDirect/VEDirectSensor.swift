public import Bytes

/// A sensor that a device of Victron can have: a label of VE.Direct, what its value means, and what
/// it is to Home Assistant.
public struct VEDirectSensor: Sendable {
  /// How a value is written, and what is made of it.
  enum Format: Sendable {
    /// A whole number: how many of its digits are decimals, and how many of them are shown.
    case number(UInt8, UInt8)
    /// The same, in minutes, where -1 is "for ever".
    case minutes
    /// `ON` or `OFF`.
    case onOff
    /// A number that stands for one of these.
    case words(VEDirectWords)
    /// A number whose bits each stand for one of these.
    case bits(VEDirectWords)
  }

  /// What a value of a label says.
  public enum Answer: Equatable, Sendable {
    case value(Value)
    /// The device has no such value now (`---`), or says what makes no sense.
    case none
    /// A number outside of the sensor's range.
    case implausible(FixedPoint)
  }

  let label: StaticString
  /// What the configuration calls it, and the end of its unique id.
  public let key: StaticString
  private let words: StaticString?
  private let unit: StaticString?
  private let deviceClass: StaticString?
  private let stateClass: StaticString?
  private let format: Format
  private let icon: StaticString?
  private let isDiagnostic: Bool
  /// What its number can be; nil where it can be any.
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

  /// Without a class there is none: the table knows percent as a share, and a deviation is another.
  private static func range(
    of deviceClass: StaticString?, in unit: StaticString?
  ) -> PlausibleRange? {
    guard let deviceClass, let unit else { return nil }
    let isCharge = [UInt8](deviceClass).span.elementsEqual("battery")
    return isCharge ? PlausibleRange.ofCharge : KernelPart(named: []).range(of: unit)
  }

  /// What Home Assistant is told about this sensor of the device `identity`, which people call
  /// `name`.
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

  /// What the value behind the label says.
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

  /// A whole number as VE.Direct writes it: in decimal digits, perhaps behind a minus, or behind
  /// `0x` in hexadecimal ones.
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
  /// How many there are.
  public static var count: Int { all.count }

  /// What messages call what `device` says under the label of the sensor with this number, such as
  /// `T of serial0`.
  public static func name(_ number: Int, of device: InlineText) -> InlineText {
    InlineText(([UInt8](all[number].label) + [UInt8](" of ") + [UInt8](device.bytes)).span)
  }

  /// What the configuration calls them, by number.
  public static var keys: [StaticString] { all.map { $0.key } }

  /// What Home Assistant is told about the sensor with this number of the device `identity`, which
  /// people call `name`; `icon` in place of its own one, where there is one.
  public static func description(
    _ number: Int, of identity: [UInt8], named name: [UInt8], icon: [UInt8]?
  ) -> SensorDescription {
    all[number].description(of: identity, named: name, icon: icon)
  }
}

extension VEDirectSensor {
  /// Time to go is the charge divided by the current of the moment, and jumps with it.
  private static let minutesMinChange = FixedPoint(5)

  /// Whether it is measured, and so has a least change that counts.
  public var isMeasured: Bool { hasStateClass("measurement") }

  /// Whether it is a count.
  public var isCounted: Bool { hasStateClass("total_increasing") }

  private func hasStateClass(_ word: StaticString) -> Bool {
    stateClass.map { [UInt8]($0).span.elementsEqual(word) } ?? false
  }

  /// The least change that counts where neither the configuration nor the class says one.
  public var standardMinChange: FixedPoint? {
    if case .minutes = format { Self.minutesMinChange } else { nil }
  }
}

/// Some of the sensors, by number.
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
