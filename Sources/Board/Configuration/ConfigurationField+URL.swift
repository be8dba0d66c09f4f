import Bytes
import HomeAssistant
public import YAML

extension ConfigurationField {
  /// Returns the address of a server: http or https, a host, optionally a port and a path. Slashes
  /// at the end are removed. A wrong address is not shown, since it may contain a password.
  func httpURL() -> [UInt8]? {
    guard let text = text() else { return nil }
    do throws(Refusal) { return try serverURL(text) } catch {
      report(error)
      return nil
    }
  }
}

/// Returns the address of a server in normal form: the scheme in lower case, no slashes at the end.
public func serverURL(_ text: [UInt8]) throws(Refusal) -> [UInt8] {
  var text = text
  for index in text.indices.prefix(while: { text[$0] != UInt8(ascii: ":") }).prefix(5) {
    text[index] = text[index].asciiLowercased
  }
  try checkURL(text.span)
  return serverAddress(text)
}

private func checkURL(_ text: Span<UInt8>) throws(Refusal) {
  let scheme: StaticString = text.starts(with: "https://") ? "https://" : "http://"
  guard text.starts(with: scheme) else {
    throw Refusal(
      "the address does not begin with http:// or https://",
      remedy: "write for example http://192.168.1.5:8123")
  }
  guard text.count <= Configuration.urlBytesMax else {
    throw Refusal(
      "the address has \(text.count) bytes", remedy: "the most is \(Configuration.urlBytesMax)")
  }
  let start = scheme.utf8CodeUnitCount
  let end = text.firstIndex(of: UInt8(ascii: "/"), from: start) ?? text.count
  let authority = text.extracting(start..<end)
  let path = text.extracting(end...)
  try checkCharacters(authority)
  try checkCharacters(path)
  guard authority.firstIndex(of: UInt8(ascii: "@")) == nil else {
    throw Refusal(
      "the address has a user name", remedy: "leave it out: Home Assistant asks for a token only")
  }
  try checkAuthority(authority)
  guard !path.containsAny(of: "\"<>\\^`{|}") else {
    throw Refusal("the path of the address contains an invalid character", remedy: "remove it")
  }
}

private func checkCharacters(_ part: Span<UInt8>) throws(Refusal) {
  guard part.isVisibleASCII else {
    throw Refusal(
      "the address has a space or a character beyond ASCII",
      remedy: "write such a host as xn--..., and such a path with %")
  }
  guard !part.containsAny(of: "?#") else {
    throw Refusal("the address has a ? or #", remedy: "leave out what follows it")
  }
}

/// Checks host and port.
private func checkAuthority(_ text: Span<UInt8>) throws(Refusal) {
  let isBracketed = text.starts(with: "[")
  let start = isBracketed ? 1 : 0
  let end = text.firstIndex(of: UInt8(ascii: isBracketed ? "]" : ":"), from: start) ?? text.count
  let host = text.extracting(start..<end)
  guard isBracketed ? isIPv6Address(host) : isHostName(host) else {
    throw Refusal(
      "the address has no valid host", remedy: "write for example http://192.168.1.5:8123")
  }
  guard !isBracketed || end < text.count else {
    throw Refusal("the address has a [ without ]", remedy: "write for example http://[::1]:8123")
  }
  let port = text.extracting((isBracketed ? end + 1 : end)...)
  guard port.isEmpty || (port.starts(with: ":") && portNumber(port.extracting(1...)) != nil) else {
    throw Refusal(
      "the address has no valid port",
      remedy: "write a colon and a number from 1 to 65535; an IPv6 address needs [ and ]")
  }
}

extension Span<UInt8> {
  fileprivate func containsAny(of characters: StaticString) -> Bool {
    let literal = [UInt8](characters)
    for index in indices where literal.contains(self[index]) { return true }
    return false
  }
}
