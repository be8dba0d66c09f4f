extension ConfigurationRule<Configuration.GPIOLineAddress> {
  /// A line's name, or a chip's label and an offset with a slash between them.
  static var gpioLine: Self {
    .text { (text) throws(Refusal) in
      try refuseNumberedChip(text)
      guard let slash = text.lastIndex(of: UInt8(ascii: "/")) else {
        try refuseBadName(text)
        return .name(text)
      }
      let label = [UInt8](text[..<slash])
      try refuseBadName(label)
      let digits = [UInt8](text[(slash + 1)...])
      guard let offset = digits.decimalValue, offset <= Configuration.gpioOffsetMax,
        digits.count == 1 || digits.first != UInt8(ascii: "0")
      else {
        throw Refusal(
          "after the last slash of \(quoted: text) there is no offset",
          remedy: "write a number from 0 to \(Configuration.gpioOffsetMax), as \"gpioinfo\" shows")
      }
      return .chip(label: label, offset: UInt32(offset))
    }
  }

  /// `17`, `gpiochip0/17` and `/dev/gpiochip0` mean another line after the next kernel update.
  private static func refuseNumberedChip(_ text: [UInt8]) throws(Refusal) {
    if text.decimalValue != nil {
      throw Refusal(
        "a line's number alone is not enough: numbers change between kernels",
        remedy: "write its name, such as GPIO17, as \"gpioinfo\" shows")
    }
    if text.isBegun(with: "gpiochip") || text.isBegun(with: "/dev/") {
      throw Refusal(
        "a chip's number or path is not enough: numbers change between kernels",
        remedy: """
          write the line's name or the chip's label, such as pinctrl-bcm2711/17, as "gpioinfo" shows
          """)
    }
  }

  private static func refuseBadName(_ text: [UInt8]) throws(Refusal) {
    guard
      text.isEmpty || text.count > Configuration.gpioNameBytesMax
        || text.unicodeScalars.contains(where: { $0.isInvisibleControl })
    else { return }
    throw Refusal(
      "\(quoted: text) is not a name",
      remedy: "write 1 to \(Configuration.gpioNameBytesMax) bytes, as \"gpioinfo\" shows")
  }
}
