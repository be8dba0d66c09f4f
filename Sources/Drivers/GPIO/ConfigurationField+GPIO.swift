import Bytes
import Sensing
import YAML

extension ConfigurationField {
  func bias() -> GPIOBias? {
    let biases: [GPIOBias] = [.asIs, .pullUp, .pullDown, .disabled]
    return word(of: ["as_is", "pull_up", "pull_down", "disabled"]).map { biases[$0] }
  }

  /// Reads a line's name, or a chip's label and an offset with a slash between them.
  func gpioLine(notAmong taken: TakenNames) -> GPIOLineAddress? {
    guard let text = text() else { return nil }
    do throws(Refusal) {
      let line = try GPIOLineAddress(written: text)
      // An address has one spelling, so that the same text is the same line.
      taken.add(line, of: self, writtenAs: text)
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
    guard let offset = digits.decimalValue, offset <= Int64(Self.offsetMax),
      digits.count == 1 || digits[0] != UInt8(ascii: "0")
    else {
      throw Refusal(
        "\(quoted: text) has no offset after its last slash",
        remedy: "write a number from 0 to \(Int(Self.offsetMax)), as \"gpioinfo\" shows")
    }
    self = .chip(label: label, offset: UInt32(offset))
  }

  /// Refuses `17`, `gpiochip0/17` and `/dev/gpiochip0`: they mean another line after the next
  /// kernel update.
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

extension GPIOLineAddress {
  /// Returns the remedy for a line that fails.
  static func remedy(for failure: SourceFailure) -> MessageText {
    switch failure {
    case .busy:
      "stop the program that uses it (sudo gpioinfo shows which), or remove it from sensors"
    case .ambiguous:
      "write its name, if no other line has it, or the name of its chip's device in sysfs and the"
        + " offset, such as 1-0021/3"
    case .flooded:
      "check its wire: a floating one needs bias, and one beside a motor a shield; a debounce of"
        + " 20ms or more filters short edges"
    default:
      "sudo homeward pins draws the pins of this board, and sudo gpioinfo lists its lines (sudo apt"
        + " install gpiod)"
    }
  }
}
