public import Bytes
import CLinux
public import Sensing

extension NetworkAddress {
  /// Parses the text form of an address; nil if it is a name or has a zone.
  init?(text: [UInt8]) {
    var bytes = InlineArray<16, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    let text = text + [0]
    let number = unsafe span.withUnsafeMutableBufferPointer { bytes in
      unsafe text.withUnsafeBytes { unsafe clinux_address_read($0.baseAddress, bytes.baseAddress) }
    }
    guard let family = UInt8(exactly: number).flatMap({ Family(rawValue: $0) }) else { return nil }
    self.init(family, bytes.span.extracting(0..<family.byteCount))
  }

  /// Text form of the address.
  public var text: InlineText {
    var text = InlineArray<46, UInt8>(repeating: 0)
    var span = text.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { text in
      unsafe bytes.withUnsafeBufferPointer {
        unsafe clinux_address_write(Int32(family.rawValue), $0.baseAddress, text.baseAddress)
      }
    }
    let end = text.span.firstIndex(of: 0) ?? text.count
    return InlineText(text.span.extracting(0..<end))
  }

  /// Sends an empty datagram to port 9 (discard) of the address. Its arrival does not matter: the
  /// kernel looks up the hardware address on the way.
  func speak(over interface: UInt32) {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe clinux_speak(Int32(family.rawValue), $0.baseAddress, interface)
    }
  }
}

extension NetworkGoal {
  /// Makes the goal for Home Assistant at `url`, with these networks as home.
  public init(url: [UInt8], in networks: HomeNetworks) {
    let host = Self.host(of: url)
    let address = NetworkAddress(text: host)
    self.init(
      address: address, passesTunnels: address == nil && Self.isLocal(host),
      gateways: networks.gateways)
  }

  /// Whether a name belongs to the local network: it has no dot, or a local ending.
  private static func isLocal(_ host: [UInt8]) -> Bool {
    let dot = UInt8(ascii: ".")
    let name = host.last == dot ? [UInt8](host.dropLast()) : host
    guard name.contains(dot) else { return !name.isEmpty }
    for ending in [
      ".local", ".lan", ".home", ".home.arpa", ".internal", ".fritz.box",
    ] as [StaticString] {
      let start = name.count - ending.utf8CodeUnitCount
      guard start > 0 else { continue }
      if name.span.extracting(start...).elementsEqualIgnoringCase(ending) { return true }
    }
    return false
  }

  private static func host(of url: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var start = url.startIndex
    for index in url.indices.dropLast() where url[index] == slash && url[index + 1] == slash {
      start = index + 2
      break
    }
    let rest = url[start...]
    if rest.first == UInt8(ascii: "[") {
      return [UInt8](rest.dropFirst().prefix { $0 != UInt8(ascii: "]") })
    }
    return [UInt8](rest.prefix { $0 != UInt8(ascii: ":") && $0 != slash })
  }
}

extension NetworkPlace {
  /// Reason why the place is not home, or not known; nil if it is home or another wireless network.
  public func reason(_ presence: HomeNetworks.Presence) -> MessageText? {
    if presence == .home { return nil }
    return switch self {
    case .unknown: nil
    case .none: "there is no network"
    case .wireless:
      presence == .unknown ? "the network hides its name; list its access point in bssids" : nil
    case .wired where presence == .away, .silent where presence == .away:
      "its gateway is not in home_network.gateways"
    case .wired: "its gateway has not answered yet"
    case .silent(let gateway, _):
      "the gateway \(gateway.text) does not answer: nothing is sent over plain HTTP until it does"
    case .elsewhere: "it is a tunnel, a modem, or a cable without a gateway"
    }
  }
}
