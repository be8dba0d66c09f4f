import Bytes
import Sensing
import YAML

extension ConfigurationField {
  /// A line's name, or a chip's label and an offset with a slash between them.
  func gpioLine(notAmong lines: SeenTexts) -> GPIOLineAddress? {
    guard let text = text() else { return nil }
    do throws(Refusal) {
      let line = try address(in: text)
      // An address has one spelling, so that the same text is the same line.
      lines.add(text, of: self)
      return line
    } catch {
      report(error)
      return nil
    }
  }
}

private func address(in text: [UInt8]) throws(Refusal) -> GPIOLineAddress {
  try refuseNumberedChip(text.span)
  guard let slash = text.lastIndex(of: UInt8(ascii: "/")) else {
    try refuseBadName(text)
    return .name(text)
  }
  let label = [UInt8](text.span.extracting(..<slash))
  try refuseBadName(label)
  let digits = text.span.extracting((slash + 1)...)
  guard let offset = digits.decimalValue, offset <= Configuration.gpioOffsetMax,
    digits.count == 1 || digits[0] != UInt8(ascii: "0")
  else {
    throw Refusal(
      "after the last slash of \(quoted: text) there is no offset",
      remedy: "write a number from 0 to \(Configuration.gpioOffsetMax), as \"gpioinfo\" shows")
  }
  return .chip(label: label, offset: UInt32(offset))
}

/// `17`, `gpiochip0/17` and `/dev/gpiochip0` mean another line after the next kernel update.
private func refuseNumberedChip(_ text: Span<UInt8>) throws(Refusal) {
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

private func refuseBadName(_ text: [UInt8]) throws(Refusal) {
  guard
    text.isEmpty || text.count > Configuration.gpioNameBytesMax || text.hasInvisibleControl
  else { return }
  throw Refusal(
    "\(quoted: text) is not a name",
    remedy: "write 1 to \(Configuration.gpioNameBytesMax) bytes, as \"gpioinfo\" shows")
}
