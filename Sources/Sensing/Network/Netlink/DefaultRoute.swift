import Bytes

/// A route by which everything leaves that has no better one.
struct DefaultRoute: Equatable, Sendable {
  /// Of several, the one with the lowest is used.
  let metric: UInt32
  /// The index of the interface it leaves by.
  let interface: UInt32
  /// Nil where the other end needs no address, as in a tunnel.
  let gateway: NetworkAddress?

  /// Reads an `rtmsg` and its attributes.
  ///
  ///     offset size field                        attribute
  ///          0    1 family                             4 RTA_OIF: the interface
  ///          1    1 bits of the destination            5 RTA_GATEWAY
  ///          2    1 bits of the source                 6 RTA_PRIORITY: the metric
  ///          3    1 type of service                    9 RTA_MULTIPATH: several next hops
  ///          4    1 table                             15 RTA_TABLE: the table
  ///          7    1 type                              18 RTA_VIA: a gateway of another family
  ///          8    4 flags
  ///
  /// - Returns: nil for a route that is none of these: to a part of the world, for some senders or
  ///   services only, of another table than the main one, one that refuses, or one whose interface
  ///   is down or has nothing plugged in.
  init?(_ message: borrowing NetlinkMessage) throws(NetlinkError) {
    var attributes = try message.attributes(after: RouteNetlink.Route.byteCount)
    let header = message.payload
    guard let family = NetworkAddress.Family(rawValue: header[0]),
      header[1] == 0, header[2] == 0, header[3] == 0,
      header[7] == RouteNetlink.Route.unicast
    else { return nil }
    var table = UInt32(header[4])
    let flags = header.nativeInteger(UInt32.self, at: 8)
    var metric: UInt32 = 0
    var hop = NextHop(isUsable: flags & RouteNetlink.Route.unusable == 0)
    while let attribute = try attributes.next() {
      switch attribute.type {
      case RouteNetlink.Route.priority: metric = attribute.uint32 ?? metric
      case RouteNetlink.Route.table: table = attribute.uint32 ?? table
      case RouteNetlink.Route.multipath:
        hop = try NextHop(firstUsableOf: attribute.value, family: family)
      default: hop.take(attribute, family: family)
      }
    }
    guard table == RouteNetlink.Route.mainTable, flags & RouteNetlink.Route.cloned == 0,
      hop.isUsable, let interface = hop.interface
    else { return nil }
    self.metric = metric
    self.interface = interface
    gateway = hop.gateway
  }
}

/// Where a route leads, or one of the places it leads to.
private struct NextHop {
  var isUsable: Bool
  var interface: UInt32?
  var gateway: NetworkAddress?

  init(isUsable: Bool) { self.isUsable = isUsable }

  /// Reads the value of RTA_MULTIPATH: `rtnexthop`s, each with attributes of its own.
  ///
  ///     offset size field
  ///          0    2 length, of the header and the attributes
  ///          2    1 flags
  ///          3    1 weight
  ///          4    4 interface
  init(firstUsableOf hops: Span<UInt8>, family: NetworkAddress.Family) throws(NetlinkError) {
    self.init(isUsable: false)
    var position = 0
    while position < hops.count {
      let rest = hops.extracting(position..<hops.count)
      let headerByteCount = RouteNetlink.Route.nextHopByteCount
      guard rest.count >= headerByteCount else { throw .truncated }
      let count = Int(rest.nativeInteger(UInt16.self, at: 0))
      guard (headerByteCount...rest.count).contains(count) else { throw .badLength }
      position += min(aligned(count), rest.count)
      guard UInt32(rest[2]) & RouteNetlink.Route.unusable == 0 else { continue }
      isUsable = true
      interface = rest.nativeInteger(UInt32.self, at: 4)
      var attributes = NetlinkAttributes(rest.extracting(headerByteCount..<count))
      while let attribute = try attributes.next() { take(attribute, family: family) }
      return
    }
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
  /// Reads a `rtvia`: two bytes of family, and the address.
  fileprivate init?(via value: Span<UInt8>) {
    guard value.count >= 2,
      let number = UInt8(exactly: value.nativeInteger(UInt16.self, at: 0)),
      let family = Family(rawValue: number)
    else { return nil }
    self.init(family, value.extracting(2..<value.count))
  }
}
