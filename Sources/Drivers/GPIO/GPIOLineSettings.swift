import Bytes
public import Sensing
import YAML

/// An entry `gpio: …` of the configuration's `sensors`: a line that is either on or off.
public struct GPIOLineSettings: Equatable, Sendable {
  /// `gpio`: which line. Required.
  public var address: GPIOLineAddress
  public var entity: EntitySettings
  /// `debounce`: how long a level must last before it counts; 0 to 10 s. The default, 20 ms,
  /// outlasts the bouncing of common switches and reeds.
  public var debounce: Duration
  /// `urgent`: whether a change is reported at once instead of with the next cycle.
  public var isUrgent: Bool
  /// `active_low`: whether the sensor is on while the line is low.
  public var isActiveLow: Bool
  /// `bias`: what the line does while nothing drives it.
  public var bias: GPIOBias

  public init(
    address: GPIOLineAddress, entity: EntitySettings, debounce: Duration = .milliseconds(20),
    isUrgent: Bool = false, isActiveLow: Bool = false, bias: GPIOBias = .asIs
  ) {
    self.address = address
    self.entity = entity
    self.debounce = debounce
    self.isUrgent = isUrgent
    self.isActiveLow = isActiveLow
    self.bias = bias
  }
}

extension GPIOLineSettings {
  private static let debounceRange: ClosedRange<Duration> = .zero ... .seconds(10)

  static let entityKind = EntityKind(
    kind: .binarySensor,
    deviceClasses: [
      "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door",
      "garage_door", "gas", "heat", "light", "lock", "moisture", "motion", "moving", "occupancy",
      "opening", "plug", "power", "presence", "problem", "running", "safety", "smoke", "sound",
      "tamper", "update", "vibration", "window",
    ], icon: "mdi:electric-switch")

  /// Reads an entry; nil, reported, where it cannot be used.
  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    let line = keys.required("gpio", example: "gpio: GPIO17")?.gpioLine(notAmong: taken.addresses)
    let entity = Self.entityKind.settings(keys, notAmong: taken)
    let debounce = keys.optional("debounce")?.duration(in: Self.debounceRange, example: "50ms")
    let isUrgent = keys.optional("urgent")?.boolean()
    let isActiveLow = keys.optional("active_low")?.boolean()
    let bias = keys.optional("bias")?.bias()
    guard let line, let entity else { return nil }
    self.init(
      address: line, entity: entity, debounce: debounce ?? .milliseconds(20),
      isUrgent: isUrgent ?? false, isActiveLow: isActiveLow ?? false, bias: bias ?? .asIs)
  }

  var name: InlineText { InlineText(address.text.span) }

  var remedies: SourceRemedies {
    SourceRemedies(of: name, isNamedByPerson: true) { failure in
      if case .busy = failure {
        return "end the program that holds it (gpioinfo shows which), or take it out of sensors"
      }
      return "gpioinfo lists the lines of this board (sudo apt install gpiod)"
    }
  }
}

extension ConfigurationField {
  fileprivate func bias() -> GPIOBias? {
    let biases: [GPIOBias] = [.asIs, .pullUp, .pullDown, .disabled]
    return word(of: ["as_is", "pull_up", "pull_down", "disabled"]).map { biases[$0] }
  }

  /// A line's name, or a chip's label and an offset with a slash between them.
  fileprivate func gpioLine(notAmong lines: SeenTexts) -> GPIOLineAddress? {
    guard let text = text() else { return nil }
    do throws(Refusal) {
      let line = try GPIOLineAddress(written: text)
      // An address has one spelling, so that the same text is the same line.
      lines.add(text, of: self)
      return line
    } catch {
      report(error)
      return nil
    }
  }
}

extension GPIOLineAddress {
  /// `GPIO_MAX_NAME_SIZE` of `linux/gpio.h`, without the NUL.
  private static let nameBytesMax = 31
  private static let offsetMax = 4095

  fileprivate init(written text: [UInt8]) throws(Refusal) {
    try Self.refuseNumberedChip(text.span)
    guard let slash = text.lastIndex(of: UInt8(ascii: "/")) else {
      try Self.refuseBadName(text)
      self = .name(text)
      return
    }
    let label = [UInt8](text.span.extracting(..<slash))
    try Self.refuseBadName(label)
    let digits = text.span.extracting((slash + 1)...)
    guard let offset = digits.decimalValue, offset <= Self.offsetMax,
      digits.count == 1 || digits[0] != UInt8(ascii: "0")
    else {
      throw Refusal(
        "after the last slash of \(quoted: text) there is no offset",
        remedy: "write a number from 0 to \(Self.offsetMax), as \"gpioinfo\" shows")
    }
    self = .chip(label: label, offset: UInt32(offset))
  }

  /// `17`, `gpiochip0/17` and `/dev/gpiochip0` mean another line after the next kernel update.
  private static func refuseNumberedChip(_ text: Span<UInt8>) throws(Refusal) {
    if text.decimalValue != nil {
      throw Refusal(
        "a line's number alone is not enough: numbers change between kernels",
        remedy: "write its name, such as GPIO17, as \"gpioinfo\" shows")
    }
    if text.starts(with: "gpiochip") || text.starts(with: "/dev/") {
      throw Refusal(
        "a chip's number or path is not enough: numbers change between kernels",
        remedy: """
          write the line's name or the chip's label, such as pinctrl-bcm2711/17, as "gpioinfo" shows
          """)
    }
  }

  private static func refuseBadName(_ text: [UInt8]) throws(Refusal) {
    guard text.isEmpty || text.count > nameBytesMax || text.hasInvisibleControl else { return }
    throw Refusal(
      "\(quoted: text) is not a name",
      remedy: "write 1 to \(nameBytesMax) bytes, as \"gpioinfo\" shows")
  }
}
