public import Bytes

/// Home Assistant that answered in the network. Any device of the network can claim to be one: a
/// person checks the address before a password goes there.
public struct FoundInstance: Equatable, Sendable {
  /// Name that its owner chose.
  public let name: Text
  /// Identifier of the instance, stable across restarts and addresses; nil if not reported.
  public let uuid: Text?
  /// Version such as `2026.6.0`; nil if not reported.
  public let version: Text?
  /// Possible addresses without a trailing slash, the likeliest first: the reported internal one,
  /// those of its host, and the reported external one.
  public let urls: [Text]

  init(name: Text, uuid: Text? = nil, version: Text? = nil, urls: [Text]) {
    self.name = name
    self.uuid = uuid
    self.version = version
    self.urls = urls
  }

  init(name: DomainName, attributes: [Text], port: UInt16?, addresses: [[UInt8]]) {
    func value(_ key: StaticString) -> Text? { Self.value(of: key, in: attributes) }
    self.name = value("location_name") ?? name.firstLabel
    uuid = value("uuid")
    version = value("version")
    var urls: [Text] = []
    func add(_ url: Text?) {
      if let url, !urls.contains(url) { urls.append(url) }
    }
    add(value("internal_url").flatMap(Self.url))
    if let port {
      for address in addresses { add(Self.url(of: address, port: port)) }
    }
    add(value("base_url").flatMap(Self.url))
    add(value("external_url").flatMap(Self.url))
    self.urls = urls
  }

  /// Returns the value of a key, whose case is ignored; nil if it is missing or empty. The first
  /// value counts (RFC 6763, 6.4).
  private static func value(of key: StaticString, in attributes: [Text]) -> Text? {
    for attribute in attributes {
      let bytes = attribute.bytes.span
      guard let end = bytes.firstIndex(of: UInt8(ascii: "=")),
        bytes.extracting(0..<end).elementsEqualIgnoringCase(key)
      else { continue }
      let value = bytes.extracting(end + 1..<bytes.count)
      return value.isEmpty ? nil : Text(value)
    }
    return nil
  }

  /// Returns the address if it is http or https and visible ASCII, else nil.
  private static func url(_ text: Text) -> Text? {
    let bytes = text.bytes.withoutTrailingSlashes(keeping: 0)
    let isHTTP = bytes.span.starts(with: "http://") || bytes.span.starts(with: "https://")
    return isHTTP && bytes.span.isVisibleASCII ? Text(bytes) : nil
  }

  /// Returns the URL of an IPv4 or IPv6 address; nil for one that needs an interface name.
  private static func url(of address: [UInt8], port: UInt16) -> Text? {
    var url = ByteBuffer(capacity: 64)
    url.append("http://")
    if address.count == 4 {
      for index in 0..<4 {
        if index > 0 { url.append(UInt8(ascii: ".")) }
        url.append(decimal: address[index])
      }
    } else {
      guard address[0] != 0xFE || address[1] & 0xC0 != 0x80 else { return nil }
      url.append(UInt8(ascii: "["))
      for index in stride(from: 0, to: 16, by: 2) {
        if index > 0 { url.append(UInt8(ascii: ":")) }
        url.append(hexadecimal: address.span.extracting(index..<index + 2))
      }
      url.append(UInt8(ascii: "]"))
    }
    url.append(UInt8(ascii: ":"))
    url.append(decimal: port)
    return Text(url.bytes)
  }
}
