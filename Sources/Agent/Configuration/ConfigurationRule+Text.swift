// The kinds of single values. Each is a function from a text to a value or a refusal.

extension ConfigurationRule<Bool> {
  /// `true` or `false`; YAML's older words for them mean too many other things.
  static var boolean: Self {
    .text { (text) throws(Refusal) in
      if text.isEqual(to: "true") { return true }
      if text.isEqual(to: "false") { return false }
      throw Refusal("\(quoted: text) is not a yes-or-no value", remedy: "write true or false")
    }
  }
}

extension ConfigurationRule<UInt16> {
  /// A TCP port.
  static var port: Self {
    .text { (text) throws(Refusal) in
      guard let port = portNumber(text) else {
        throw Refusal("\(quoted: text) is not a port", remedy: "write a number from 1 to 65535")
      }
      return port
    }
  }
}

/// Decimal digits from 1 to 65535 as a number.
func portNumber(_ text: [UInt8]) -> UInt16? {
  guard text.first != UInt8(ascii: "0"), let value = text.decimalValue else { return nil }
  return UInt16(exactly: value)
}

extension ConfigurationRule<[UInt8]> {
  /// What people call something: 1...64 characters, without control characters.
  static var name: Self {
    .text { (text) throws(Refusal) in
      let characters = text.unicodeScalars
      guard !characters.contains(where: { $0.isInvisibleControl }) else {
        throw Refusal("the name has a control character", remedy: "remove it")
      }
      guard characters.contains(where: { $0 != " " }),
        characters.count <= Configuration.nameCharactersMax
      else {
        throw Refusal(
          "the name has \(characters.count) characters",
          remedy: "write 1 to \(Configuration.nameCharactersMax), not only spaces")
      }
      return text
    }
  }

  /// `prefix:name`, such as `mdi:water`.
  static var icon: Self {
    .text { (text) throws(Refusal) in
      let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      let isIcon =
        parts.count == 2
        && parts.allSatisfy { part in
          !part.isEmpty
            && part.allSatisfy { $0.isLetter || $0.isDecimalDigit || $0.isDashOrUnderscore }
        }
      guard isIcon, text.count <= Configuration.iconBytesMax else {
        throw Refusal("\(quoted: text) is not an icon", remedy: "write for example mdi:water")
      }
      return text
    }
  }

  /// An absolute path; a slash at the end is removed. The path is not shown when it is wrong,
  /// since it may be a token in the wrong place.
  static var absolutePath: Self {
    .text { (text) throws(Refusal) in
      guard text.first == UInt8(ascii: "/") else {
        throw Refusal("this is not an absolute path", remedy: "begin it with /")
      }
      guard text.count <= Configuration.pathBytesMax else {
        throw Refusal(
          "this path has \(text.count) bytes",
          remedy: "the most is \(Configuration.pathBytesMax)")
      }
      guard !text.unicodeScalars.contains(where: { $0.isInvisibleControl }) else {
        throw Refusal("this path has a control character", remedy: "remove it")
      }
      return text.withoutTrailingSlashes(keeping: 1)
    }
  }

  /// The name of a directory in `/sys/class/power_supply`.
  static var supplyName: Self {
    .text { (text) throws(Refusal) in
      let isName =
        !text.isEmpty && text.count <= Configuration.supplyNameBytesMax
        && text.first != UInt8(ascii: ".")
        && text.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
      guard isName else {
        throw Refusal(
          "\(quoted: text) is not the name of a power supply",
          remedy: "write one that \"ls /sys/class/power_supply\" shows")
      }
      return text
    }
  }

  /// The name or the address of a computer.
  static var host: Self {
    .text { (text) throws(Refusal) in
      guard isHostName(text[...]) || isIPv6Address(text[...]) else {
        throw Refusal(
          "\(quoted: text) is not a host", remedy: "write a name or an address, without a port")
      }
      return text
    }
  }
}

/// Whether these are the letters of a DNS name or of an IPv4 address.
func isHostName(_ text: ArraySlice<UInt8>) -> Bool {
  !text.isEmpty && text.count <= Configuration.hostBytesMax
    && text.allSatisfy {
      $0.isLetter || $0.isDecimalDigit || $0.isDashOrUnderscore || $0 == UInt8(ascii: ".")
    }
}

/// Whether these are the letters of an IPv6 address without brackets; the resolver knows the rest.
func isIPv6Address(_ text: ArraySlice<UInt8>) -> Bool {
  text.count <= Configuration.hostBytesMax && text.count { $0 == UInt8(ascii: ":") } >= 2
    && text.allSatisfy {
      $0.isHexadecimalDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
}

extension UInt8 {
  var isDashOrUnderscore: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
}

extension [UInt8] {
  func withoutTrailingSlashes(keeping count: Int) -> [UInt8] {
    var result = self
    while result.count > count, result.last == UInt8(ascii: "/") { result.removeLast() }
    return result
  }
}
