import Bytes

/// The next hop of a packet: an interface, and a gateway on it.
struct RouteHop: Equatable, Sendable {
  /// Index of the outgoing interface.
  let interface: UInt32
  /// Nil if no gateway is needed, as in a tunnel or in the interface's own network.
  let gateway: NetworkAddress?

  /// Parses the answer to a request for the route to one address; nil if that is the machine's own.
  init?(_ message: borrowing NetlinkMessage) throws(NetlinkError) {
    var attributes = try message.attributes(after: RouteNetlink.Route.byteCount)
    let header = message.payload
    guard let family = NetworkAddress.Family(rawValue: header[0]),
      header[7] == RouteNetlink.Route.unicast
    else { return nil }
    var hop = HopFields()
    while let attribute = try attributes.next() { hop.take(attribute, family: family) }
    guard let interface = hop.interface else { return nil }
    self.interface = interface
    gateway = hop.gateway
  }

  init(interface: UInt32, gateway: NetworkAddress?) {
    self.interface = interface
    self.gateway = gateway
  }
}

/// A hop of a default route, or of a route to the network of its interface.
struct NetworkRoute: Equatable, Sendable {
  /// Maximum number of routes to read.
  static let countMax = 32

  let family: NetworkAddress.Family
  let isDefault: Bool
  /// Metric; of several routes, the one with the lowest is used.
  let metric: UInt32
  /// Router preference among routes with the same metric (RFC 4191): -1, 0 or 1.
  let preference: Int8
  let hop: RouteHop

  /// Returns whether the kernel prefers it to the other route; IPv4 comes before IPv6.
  func isBetter(than other: NetworkRoute) -> Bool {
    if isDefault != other.isDefault { return isDefault }
    if family != other.family { return family == .ipv4 }
    if metric != other.metric { return metric < other.metric }
    return preference > other.preference
  }
}

extension [NetworkRoute] {
  /// Parses an `rtmsg` and its attributes.
  ///
  ///     offset size field                        attribute
  ///          0    1 family                             1 RTA_DST: the destination
  ///          1    1 bits of the destination            4 RTA_OIF: the interface
  ///          2    1 bits of the source                 5 RTA_GATEWAY
  ///          3    1 type of service                    6 RTA_PRIORITY: the metric
  ///          4    1 table, if its number is small      9 RTA_MULTIPATH: several next hops
  ///          7    1 type                              18 RTA_VIA: a gateway of another family
  ///          8    4 flags
  ///                                                   20 RTA_PREF: the preference
  ///
  /// Nothing is appended for other routes: for some senders or services only, of another table than
  /// the main one, one that rejects packets, or one whose interface is down or unplugged.
  mutating func append(_ message: borrowing NetlinkMessage) throws(NetlinkError) {
    var attributes = try message.attributes(after: RouteNetlink.Route.byteCount)
    let header = message.payload
    guard let family = NetworkAddress.Family(rawValue: header[0]), header[2] == 0, header[3] == 0,
      header[4] == RouteNetlink.Route.mainTable, header[7] == RouteNetlink.Route.unicast
    else { return }
    let isDefault = header[1] == 0
    let flags = header.nativeInteger(UInt32.self, at: 8)
    var (metric, preference) = (UInt32(0), Int8(0))
    var isLocal = false
    var hop = HopFields()
    var hops: [RouteHop] = []
    while let attribute = try attributes.next() {
      switch attribute.type {
      case RouteNetlink.Route.destination:
        // Each interface has a route to its own link (fe80::/10).
        isLocal = attribute.value.starts(withLinkLocal: family)
      case RouteNetlink.Route.priority: metric = attribute.uint32 ?? metric
      case RouteNetlink.Route.preference: preference = attribute.preference
      case RouteNetlink.Route.multipath: hops = try HopFields.all(attribute.value, family)
      default: hop.take(attribute, family: family)
      }
    }
    guard flags & RouteNetlink.Route.cloned == 0, !isLocal else { return }
    if flags & RouteNetlink.Route.unusable == 0, hops.isEmpty, let interface = hop.interface {
      hops = [RouteHop(interface: interface, gateway: hop.gateway)]
    }
    for hop in hops where (isDefault || hop.gateway == nil) && count < NetworkRoute.countMax {
      append(
        NetworkRoute(
          family: family, isDefault: isDefault, metric: metric, preference: preference, hop: hop))
    }
  }
}

extension Span<UInt8> {
  fileprivate func starts(withLinkLocal family: NetworkAddress.Family) -> Bool {
    family == .ipv6 && count >= 2 && self[0] == 0xFE && self[1] & 0xC0 == 0x80
  }
}

extension NetlinkAttribute {
  /// Two bits with a sign: low, medium or high; the reserved value is medium.
  fileprivate var preference: Int8 {
    guard value.count == 1 else { return 0 }
    return value[0] & 3 == 3 ? -1 : value[0] & 3 == 1 ? 1 : 0
  }
}

/// The attributes of a hop.
private struct HopFields {
  var interface: UInt32?
  var gateway: NetworkAddress?

  /// Parses the value of RTA_MULTIPATH: `rtnexthop`s, each with its own attributes.
  ///
  ///     offset size field
  ///          0    2 length, including the attributes
  ///          2    1 flags
  ///          3    1 weight
  ///          4    4 interface
  static func all(
    _ bytes: Span<UInt8>, _ family: NetworkAddress.Family
  ) throws(NetlinkError) -> [RouteHop] {
    var hops: [RouteHop] = []
    var position = 0
    while position < bytes.count {
      let rest = bytes.extracting(position..<bytes.count)
      let headerByteCount = RouteNetlink.Route.nextHopByteCount
      guard rest.count >= headerByteCount else { throw .truncated }
      let count = Int(rest.nativeInteger(UInt16.self, at: 0))
      guard (headerByteCount...rest.count).contains(count) else { throw .badLength }
      position += min(aligned(count), rest.count)
      guard UInt32(rest[2]) & RouteNetlink.Route.unusable == 0 else { continue }
      var fields = HopFields()
      var attributes = NetlinkAttributes(rest.extracting(headerByteCount..<count))
      while let attribute = try attributes.next() { fields.take(attribute, family: family) }
      let interface = rest.nativeInteger(UInt32.self, at: 4)
      hops.append(RouteHop(interface: interface, gateway: fields.gateway))
    }
    return hops
  }

  mutating func take(_ attribute: borrowing NetlinkAttribute, family: NetworkAddress.Family) {
    switch attribute.type {
    case RouteNetlink.Route.outputInterface: interface = attribute.uint32
    case RouteNetlink.Route.gateway: gateway = NetworkAddress(family, attribute.value)
    case RouteNetlink.Route.via: gateway = NetworkAddress(via: attribute.value)
    default: break
    }
  }
}

extension NetworkAddress {
  /// Parses a `rtvia`: two bytes of family, and the address.
  fileprivate init?(via value: Span<UInt8>) {
    guard value.count >= 2,
      let number = UInt8(exactly: value.nativeInteger(UInt16.self, at: 0)),
      let family = Family(rawValue: number)
    else { return nil }
    self.init(family, value.extracting(2..<value.count))
  }
}
