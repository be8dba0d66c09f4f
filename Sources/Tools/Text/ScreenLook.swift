import Bytes

/// Capabilities of a terminal.
struct ScreenLook {
  let isColored: Bool
  /// Whether it shows UTF-8, with blocks and braille.
  let isUnicode: Bool
}

extension ScreenLook {
  /// Reads the capabilities from the environment; nil if the terminal cannot be drawn on.
  ///
  /// The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty names the character set
  /// (`locale(7)`). The kernel's own console (`TERM=linux`) has no braille, and few blocks.
  init?(_ variable: (StaticString) -> [UInt8]?) {
    let type = variable("TERM") ?? []
    guard !type.isEmpty, !type.span.elementsEqual("dumb") else { return nil }
    var locale: [UInt8] = []
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] as [StaticString] where locale.isEmpty {
      locale = variable(name) ?? []
    }
    let letters = locale.lowercasedASCII.filter { $0 != UInt8(ascii: "-") }
    let isUTF8 = letters.span.contains("utf8")
    self.init(
      isColored: variable("NO_COLOR")?.isEmpty != false,
      isUnicode: isUTF8 && !type.span.elementsEqual("linux"))
  }
}
