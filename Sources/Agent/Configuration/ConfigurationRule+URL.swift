extension ConfigurationRule<[UInt8]> {
  /// The address of a server: http or https, a host, perhaps a port and a path. Slashes at the end
  /// are removed. It is not shown when it is wrong, since it may hold a password.
  static var httpURL: Self {
    .text { (text) throws(Refusal) in
      try URLText(text).check()
      return text.withoutTrailingSlashes(keeping: 0)
    }
  }
}

/// The parts of an address.
private struct URLText {
  private static let example: StaticString = "http://192.168.1.5:8123"

  /// Host and port.
  private let authority: ArraySlice<UInt8>
  private let path: ArraySlice<UInt8>

  init(_ text: [UInt8]) throws(Refusal) {
    let schemes: [StaticString] = ["http://", "https://"]
    guard let scheme = schemes.first(where: { text.isBegun(with: $0) }) else {
      throw Refusal(
        "the address does not begin with http:// or https://",
        remedy: "write for example \(Self.example)")
    }
    guard text.count <= Configuration.urlBytesMax else {
      throw Refusal(
        "the address has \(text.count) bytes", remedy: "the most is \(Configuration.urlBytesMax)")
    }
    let rest = text.dropFirst(scheme.utf8CodeUnitCount)
    authority = rest.prefix { $0 != UInt8(ascii: "/") }
    path = rest.dropFirst(authority.count)
  }

  func check() throws(Refusal) {
    for part in [authority, path] {
      guard part.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw Refusal(
          "the address has a space or a character beyond ASCII",
          remedy: "write such a host as xn--..., and such a path with %")
      }
      guard !part.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
        throw Refusal("the address has a ? or #", remedy: "leave out what follows it")
      }
    }
    guard !authority.contains(UInt8(ascii: "@")) else {
      throw Refusal(
        "the address has a user name", remedy: "leave it out: Home Assistant asks for a token only")
    }
    try checkAuthority()
    guard !path.contains(where: { isForbiddenInPath($0) }) else {
      throw Refusal("the path of the address has a character that no path has", remedy: "remove it")
    }
  }

  private func checkAuthority() throws(Refusal) {
    let isBracketed = authority.first == UInt8(ascii: "[")
    let host: ArraySlice<UInt8>
    if isBracketed {
      host = authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }
    } else {
      host = authority.prefix { $0 != UInt8(ascii: ":") }
    }
    guard isBracketed ? isIPv6Address(host) : isHostName(host) else {
      throw Refusal(
        "the address has no valid host", remedy: "write for example \(Self.example)")
    }
    var port = authority.dropFirst(host.count + (isBracketed ? 1 : 0))
    if isBracketed {
      guard port.first == UInt8(ascii: "]") else {
        throw Refusal(
          "the address has a [ without ]", remedy: "write for example http://[::1]:8123")
      }
      port = port.dropFirst()
    }
    guard port.isEmpty || isPort(port) else {
      throw Refusal(
        "the address has no valid port",
        remedy: "write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]")
    }
  }

  private func isPort(_ text: ArraySlice<UInt8>) -> Bool {
    text.first == UInt8(ascii: ":") && portNumber([UInt8](text.dropFirst())) != nil
  }

  private func isForbiddenInPath(_ byte: UInt8) -> Bool {
    [UInt8](literal: "\"<>\\^`{|}").contains(byte)
  }
}
