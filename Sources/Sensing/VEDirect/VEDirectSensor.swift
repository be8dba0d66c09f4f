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
    case onOff
    /// A number with a word for each value.
    case words(VEDirectWords)
    /// A number with a word for each bit.
    case bits(VEDirectWords)
  }

  let label: StaticString
  /// Key in the configuration, and end of the unique id.
  public let key: StaticString
  private let meaning: Meaning
  private let format: Format
  /// Name for people; nil for the key with spaces.
  private var words: StaticString?
  private var icon: StaticString?

  // None of these is inlined: the table has many rows.
  @inline(never)
  init(_ label: StaticString, _ key: StaticString, _ meaning: Meaning, _ format: Format) {
    self.label = label
    self.key = key
    self.meaning = meaning
    self.format = format
  }

  @inline(never)
  func named(_ words: StaticString) -> Self {
    var sensor = self
    sensor.words = words
    return sensor
  }

  @inline(never)
  func with(icon: StaticString) -> Self {
    var sensor = self
    sensor.icon = icon
    return sensor
  }

  /// Returns the description for Home Assistant. `identity` identifies the device, `name` is its
  /// display name, and `icon`, if given, replaces the sensor's own.
  public func description(
    of identity: [UInt8], named name: [UInt8], icon: [UInt8]?
  ) -> SensorDescription {
    SensorDescription(
      uniqueID: uniqueID("ve_direct_", identity.span) + [UInt8(ascii: "_")] + [UInt8](key),
      name: name + [UInt8(ascii: " ")] + (words.map { [UInt8]($0) } ?? spokenKey),
      kind: isOnOff ? .binarySensor : .sensor,
      unit: meaning.unit.map { [UInt8]($0) },
      deviceClass: meaning.deviceClass.map { [UInt8]($0) },
      stateClass: meaning.stateClass.map { [UInt8]($0) },
      icon: icon ?? (self.icon ?? meaning.icon).map { [UInt8]($0) },
      isDiagnostic: meaning.isDiagnostic)
  }

  private var isOnOff: Bool { if case .onOff = format { true } else { false } }

  private var spokenKey: [UInt8] {
    [UInt8](key).map { $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0 }
  }

  // MARK: Values

  /// Returns what the text of the label's value means: `.value`, `.none` or `.implausible`.
  func report(_ text: Span<UInt8>) -> VEDirectSession.Report {
    switch format {
    case .number(let decimals, let shown):
      guard let number = Self.number(text), !isRegisterOfOnes(number) else { return .none }
      let value = FixedPoint(number, decimals: decimals)
      if let range = meaning.range, !range.contains(value) { return .implausible(value, range) }
      return .value(.number(value.rounded(to: shown)))
    case .minutes:
      guard let number = Self.number(text), number >= -1, !isRegisterOfOnes(number) else {
        return .none
      }
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

  /// Whether the number is a register full of ones, with which a device means that it has no value.
  /// Where such a number is beyond the range of the sensor, it is told as implausible.
  private func isRegisterOfOnes(_ number: Int64) -> Bool {
    guard meaning.range == nil || meaning == .watts else { return false }
    return number == 0xFFFF || number == 0xFFFF_FFFF
  }

  /// Parses a whole number of VE.Direct: decimal with an optional minus, or hexadecimal after `0x`.
  private static func number(_ text: Span<UInt8>) -> Int64? {
    guard text.starts(with: "0x") || text.starts(with: "0X") else {
      return KernelText.integer(text, in: Int64(Int32.min)...Int64(UInt32.max))
    }
    guard (3...10).contains(text.count) else { return nil }
    return UInt64(hexadecimal: text.extracting(2...)).map { Int64($0) }
  }
}

extension VEDirectSensor {
  /// Home Assistant's terms of a number, shared by the sensors of a quantity. Those of the past are
  /// the device's own history.
  enum Meaning: Sendable {
    case none, diagnosis, problem
    case volts, amperes, watts, voltAmperes, ampereHours, celsius, charge, percent, minutes, energy
    case pastEnergy, pastCharge, pastCount, pastVolts, pastTime

    var unit: StaticString? {
      switch self {
      case .none, .diagnosis, .problem, .pastCount: nil
      case .volts, .pastVolts: "V"
      case .amperes: "A"
      case .watts: "W"
      case .voltAmperes: "VA"
      case .ampereHours, .pastCharge: "Ah"
      case .celsius: "°C"
      case .charge, .percent: "%"
      case .minutes: "min"
      case .energy, .pastEnergy: "kWh"
      case .pastTime: "s"
      }
    }

    var deviceClass: StaticString? {
      switch self {
      case .problem: "problem"
      case .volts, .pastVolts: "voltage"
      case .amperes: "current"
      case .watts: "power"
      case .voltAmperes: "apparent_power"
      case .celsius: "temperature"
      case .charge: "battery"
      case .minutes, .pastTime: "duration"
      case .energy, .pastEnergy: "energy"
      case .none, .diagnosis, .ampereHours, .percent, .pastCharge, .pastCount: nil
      }
    }

    var stateClass: StaticString? {
      switch self {
      case .none, .diagnosis, .problem, .pastEnergy: nil
      case .energy: "total_increasing"
      default: "measurement"
      }
    }

    var icon: StaticString? {
      switch self {
      case .pastCharge, .pastCount: "mdi:history"
      default: nil
      }
    }

    var isDiagnostic: Bool {
      switch self {
      case .diagnosis, .pastCharge, .pastCount, .pastVolts, .pastTime: true
      default: false
      }
    }

    /// Range of the numbers that a device can measure; nil for any number.
    var range: PlausibleRange? {
      switch self {
      case .volts, .pastVolts: Self.ranges[0]
      case .amperes: Self.ranges[1]
      case .watts: Self.ranges[2]
      case .celsius: Self.ranges[3]
      case .charge: .ofCharge
      default: nil
      }
    }

    // An array: four constants, or a tuple, are 800 bytes larger.
    private static let ranges = (["V", "A", "W", "°C"] as [StaticString]).map {
      KernelPart(named: []).range(of: $0)
    }
  }
}

extension VEDirectSensor {
  public static var count: Int { all.count }

  /// Returns the name of a sensor in messages, such as `T of serial0`.
  public static func name(_ number: Int, of device: InlineText) -> InlineText {
    InlineText(([UInt8](all[number].label) + [UInt8](" of ") + [UInt8](device.bytes)).span)
  }

  /// Keys of the configuration, by number.
  public static var keys: [StaticString] { all.map { $0.key } }

  /// Time to go is the charge divided by the present current, and jumps with it.
  private static let minutesMinChange = FixedPoint(5)

  /// Whether the sensor is a measurement, and so has a minimum change.
  public var isMeasured: Bool { hasStateClass("measurement") }

  /// Whether the sensor is a count.
  public var isCounted: Bool { hasStateClass("total_increasing") }

  private func hasStateClass(_ word: StaticString) -> Bool {
    meaning.stateClass.map { [UInt8]($0).span.elementsEqual(word) } ?? false
  }

  /// Whether it is the charge of the battery.
  public var measuresCharge: Bool { meaning == .charge }

  var countsEnergy: Bool { meaning == .energy }

  /// Whether it is the voltage of the battery whose charge the device counts, and not of another.
  public var measuresVoltageOfCharge: Bool { [UInt8](label) == [UInt8(ascii: "V")] }

  /// Smallest change to report if neither the configuration nor the class sets one.
  public var standardMinChange: FixedPoint? {
    if case .minutes = format { Self.minutesMinChange } else { nil }
  }
}

public struct VEDirectSensors: OptionSet, Sendable {
  public static let usual = VEDirectSensors(0..<VEDirectSensor.usualCount)

  public private(set) var rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public init(_ numbers: some Sequence<Int>) {
    precondition(VEDirectSensor.count <= UInt64.bitWidth, "each sensor has a bit")
    self.init(rawValue: 0)
    for number in numbers { insert(number) }
  }

  public func contains(_ number: Int) -> Bool { rawValue >> UInt64(number) & 1 == 1 }
  mutating func insert(_ number: Int) { rawValue |= 1 << UInt64(number) }
}
