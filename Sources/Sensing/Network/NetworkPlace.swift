public import Bytes

/// The network location of the machine: the network of the route to Home Assistant's address, or if
/// that address is unknown, of the default route.
public enum NetworkPlace: Equatable, Sendable {
  /// The kernel has not been asked yet, or has not answered.
  case unknown
  /// There is no working route.
  case none
  /// A wireless network with which the machine is associated.
  case wireless(WirelessNetwork, NetworkInterface)
  /// A cable, with the hardware address of the default gateway; nil until this machine has
  /// contacted the gateway, and permanently if it never answers.
  case wired(gateway: HardwareAddress?, NetworkInterface)
  /// A cable with a gateway that was contacted and does not answer.
  case silent(gateway: NetworkAddress, NetworkInterface)
  /// An interface that shows no location: a tunnel, a modem, a radio without an association.
  case elsewhere(NetworkInterface)
}

extension NetworkPlace {
  /// Whether there is a route.
  public var isConnected: Bool {
    switch self {
    case .unknown, .none: false
    case .wireless, .wired, .silent, .elsewhere: true
    }
  }

  /// Whether the place distinguishes its network from others on the interface.
  public var isIdentified: Bool {
    switch self {
    case .wireless, .wired(.some, _): true
    case .unknown, .none, .wired(nil, _), .silent, .elsewhere: false
    }
  }

  /// Returns whether both places may be one network. Access points with one name are one network,
  /// and so is a modem that dials again; an unknown gateway matches any.
  public func isSameNetwork(as other: NetworkPlace) -> Bool {
    switch (self, other) {
    case (.wireless(let network, let interface), .wireless(let former, let formerInterface)):
      interface == formerInterface && network.ssid == former.ssid
    case (.wired(let gateway, let interface), .wired(let former, let formerInterface)):
      interface == formerInterface && (gateway == former || gateway == nil || former == nil)
    case (.silent(_, let interface), .silent(_, let other)),
      (.silent(_, let interface), .wired(_, let other)),
      (.wired(_, let interface), .silent(_, let other)):
      interface == other
    case (.elsewhere(let interface), .elsewhere(let formerInterface)):
      // After a new call of a modem its interface has another index.
      interface.name == formerInterface.name
    default: self == other
    }
  }
}

/// A network interface of the kernel, such as `eth0`.
public struct NetworkInterface: Equatable, Sendable {
  /// Index in the kernel, which changes when the interface is removed and added again.
  public let index: UInt32
  /// Name of at most 15 bytes, made safe for a terminal.
  public let name: InlineText

  public init(index: UInt32, name: InlineText) {
    self.index = index
    self.name = name
  }
}

/// A wireless network and the access point in use.
public struct WirelessNetwork: Equatable, Sendable {
  /// Nil if the network hides its name and the kernel has not learned it.
  public let ssid: SSID?
  public let bssid: HardwareAddress

  public init(ssid: SSID?, bssid: HardwareAddress) {
    self.ssid = ssid
    self.bssid = bssid
  }
}

/// The networks at home, as the configuration lists them.
public struct HomeNetworks: Equatable, Sendable {
  /// Whether a place is home.
  public enum Presence: Equatable, Sendable { case home, away, unknown }

  public var ssids: [SSID]
  /// Access points. If any is listed, a name alone is not enough, because a name such as `Harbour`
  /// is common. Without `ssids`, an access point alone is enough.
  public var bssids: [HardwareAddress]
  /// Gateways of wired networks, or Home Assistant itself if it is on the same network.
  public var gateways: [HardwareAddress]

  public init(
    ssids: [SSID] = [], bssids: [HardwareAddress] = [], gateways: [HardwareAddress] = []
  ) {
    self.ssids = ssids
    self.bssids = bssids
    self.gateways = gateways
  }

  /// Returns whether `place` is home; unknown only while it may still turn out to be home.
  public func presence(at place: NetworkPlace) -> Presence {
    switch place {
    case .unknown: .unknown
    case .none, .elsewhere: .away
    case .wireless(let network, _): presence(at: network)
    case .wired(let gateway?, _): gateways.contains(gateway) ? .home : .away
    case .wired(nil, _), .silent: gateways.isEmpty ? .away : .unknown
    }
  }

  private func presence(at network: WirelessNetwork) -> Presence {
    if !bssids.isEmpty && !bssids.contains(network.bssid) { return .away }
    guard !ssids.isEmpty else { return bssids.isEmpty ? .away : .home }
    // A network without a name is identified by its access point.
    guard let ssid = network.ssid else { return bssids.isEmpty ? .unknown : .home }
    return ssids.contains(ssid) ? .home : .away
  }
}

/// An IPv4 or IPv6 address, in network byte order.
public struct NetworkAddress: Equatable, Sendable {
  public enum Family: UInt8, Sendable {
    // AF_INET and AF_INET6 of Linux.
    case ipv4 = 2
    case ipv6 = 10

    public var byteCount: Int { self == .ipv4 ? 4 : 16 }
  }

  public let family: Family
  private var storage = InlineArray<16, UInt8>(repeating: 0)

  /// Nil if the number of `bytes` does not fit the family.
  public init?(_ family: Family, _ bytes: Span<UInt8>) {
    guard bytes.count == family.byteCount else { return nil }
    self.family = family
    for index in bytes.indices { storage[index] = bytes[index] }
  }

  /// The bytes in network order.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(0..<family.byteCount) }
  }

  public static func == (left: NetworkAddress, right: NetworkAddress) -> Bool {
    left.family == right.family && left.bytes.elementsEqual(right.bytes)
  }
}

/// The address of a network device: six bytes. A BSSID is one, and a gateway on a cable is
/// identified by one.
public struct HardwareAddress: Hashable, Sendable {
  /// Size of an address, in bytes.
  public static let byteCount = 6
  /// Size of its text, such as `aa:bb:cc:dd:ee:ff`.
  public static let textByteCount = 17

  /// The six bytes; the first is the most significant.
  private let value: UInt64

  /// Creates an address from its bytes; nil if they are not six.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    var value: UInt64 = 0
    for index in bytes.indices { value = value << 8 | UInt64(bytes[index]) }
    self.value = value
  }

  /// Parses the text form `aa:bb:cc:dd:ee:ff`, in either case.
  public init?(text: Span<UInt8>) {
    guard text.count == Self.textByteCount else { return nil }
    var value: UInt64 = 0
    for index in text.indices {
      if index % 3 == 2 {
        guard text[index] == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = hexadecimalValue(of: text[index]) else { return nil }
        value = value << 4 | UInt64(digit)
      }
    }
    self.value = value
  }

  /// Whether all bytes are zero, which means no address.
  var isZero: Bool { value == 0 }

  /// Whether the address can belong to one device: it is not zero, and not that of a group.
  public var isOfDevice: Bool { !isZero && byte(0) & 1 == 0 }

  /// Whether it is the address of a virtual router, which is the same in many networks: of VRRP
  /// (RFC 9568) and CARP, of HSRP, or of GLBP.
  public var isOfVirtualRouter: Bool {
    switch value >> 8 {
    case 0x00_005E_0001, 0x00_005E_0002, 0x00_000C_07AC: true
    default: value >> 12 == 0x00_000C_9FF || value >> 16 == 0x00_07B4_00
    }
  }

  fileprivate func byte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: value >> (8 * UInt64(Self.byteCount - 1 - index)))
  }
}

extension ByteBuffer {
  mutating func appendBytes(of address: HardwareAddress) {
    for index in 0..<HardwareAddress.byteCount { append(address.byte(index)) }
  }

  /// Appends the address as `aa:bb:cc:dd:ee:ff`.
  public mutating func append(_ address: HardwareAddress) {
    for index in 0..<HardwareAddress.byteCount {
      if index > 0 { append(UInt8(ascii: ":")) }
      append(hexadecimalDigit: address.byte(index) >> 4)
      append(hexadecimalDigit: address.byte(index) & 15)
    }
  }
}

/// The name of a wireless network: 1 to 32 bytes, not necessarily text (IEEE 802.11, 9.4.2.2). Most
/// are UTF-8, some contain a NUL, and two that look alike on a screen may be two networks.
public struct SSID: Hashable, Sendable {
  /// Maximum size of a name, in bytes.
  public static let byteCountMax = 32
  /// Maximum size of the printable form, with every byte written as `\xNN`.
  public static let printableByteCountMax = 4 * byteCountMax

  private var storage = InlineArray<32, UInt8>(repeating: 0)
  private let byteCount: UInt8

  /// Creates a name from its bytes; nil if there are none or too many, or if all are zero, as in
  /// the announcements of a network that hides its name.
  public init?(_ bytes: Span<UInt8>) {
    guard (1...Self.byteCountMax).contains(bytes.count) else { return nil }
    byteCount = UInt8(bytes.count)
    var isHidden = true
    for index in bytes.indices {
      storage[index] = bytes[index]
      if bytes[index] != 0 { isHidden = false }
    }
    if isHidden { return nil }
  }

  /// The name: 1 to 32 bytes.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { storage.span.extracting(0..<Int(byteCount)) }
  }

  public static func == (left: SSID, right: SSID) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }

  public func hash(into hasher: inout Hasher) {
    let bytes = bytes
    for index in bytes.indices { hasher.combine(bytes[index]) }
  }
}

extension ByteBuffer {
  /// Appends the printable name: UTF-8 unchanged, a backslash doubled, and control characters and
  /// bytes that are not UTF-8 as `\xNN`, so that different names look different. At most
  /// `SSID.printableByteCountMax` bytes.
  public mutating func append(_ ssid: SSID) {
    let bytes = ssid.bytes
    var index = 0
    while index < bytes.count {
      let length = bytes.lengthOfScalar(at: index)
      if bytes[index] == UInt8(ascii: "\\") {
        append("\\\\")
      } else if length == 0 || bytes.isControl(at: index) {
        for offset in 0..<max(length, 1) {
          append("\\x")
          append(hexadecimal: bytes.extracting(index + offset..<index + offset + 1))
        }
      } else {
        append(bytes.extracting(index..<index + length))
      }
      index += max(length, 1)
    }
  }
}
