import Bytes

/// A message of the kernel about an interface: an `ifinfomsg` and its attributes.
///
///     offset size field                        attribute
///          0    1 family                             3 IFLA_IFNAME: the name
///          2    2 kind of hardware                  11 IFLA_WIRELESS: the link is the same
///          4    4 interface
struct LinkMessage: Sendable {
  let interface: NetworkInterface
  /// Whether the devices of this link have addresses of six bytes and can resolve each other's.
  let isEthernet: Bool
  /// Whether the message only wraps an event of the radio.
  let isOfRadio: Bool

  init(_ message: borrowing NetlinkMessage) throws(NetlinkError) {
    var attributes = try message.attributes(after: RouteNetlink.Link.byteCount)
    isEthernet =
      message.payload.nativeInteger(UInt16.self, at: 2) == RouteNetlink.Link.ethernet
    var name = InlineText("")
    var isOfRadio = false
    while let attribute = try attributes.next() {
      switch attribute.type {
      case RouteNetlink.Link.name: name = InlineText(attribute.text)
      case RouteNetlink.Link.wireless: isOfRadio = true
      default: break
      }
    }
    self.isOfRadio = isOfRadio
    interface = NetworkInterface(
      index: message.payload.nativeInteger(UInt32.self, at: 4), name: name)
  }
}

/// A message of the kernel about a neighbour on a link: an `ndmsg` and its attributes.
///
///     offset size field                        attribute
///          0    1 family                             1 NDA_DST: the address
///          4    4 interface                          2 NDA_LLADDR: the hardware address
///          8    2 state
struct NeighbourMessage: Sendable {
  let interface: UInt32
  let address: NetworkAddress?
  /// Nil if no machine has answered, or if the answer is not an address of six bytes.
  let hardwareAddress: HardwareAddress?

  init(_ message: borrowing NetlinkMessage) throws(NetlinkError) {
    var attributes = try message.attributes(after: RouteNetlink.Neighbour.byteCount)
    interface = message.payload.nativeInteger(UInt32.self, at: 4)
    let family = NetworkAddress.Family(rawValue: message.payload[0])
    let state = message.payload.nativeInteger(UInt16.self, at: 8)
    var address: NetworkAddress?
    var hardwareAddress: HardwareAddress?
    while let attribute = try attributes.next() {
      switch attribute.type {
      case RouteNetlink.Neighbour.destination:
        address = family.flatMap { NetworkAddress($0, attribute.value) }
      case RouteNetlink.Neighbour.linkAddress:
        hardwareAddress = HardwareAddress(attribute.value)
      default: break
      }
    }
    self.address = address
    let isKnown = state & RouteNetlink.Neighbour.isKnown != 0 && hardwareAddress?.isZero == false
    self.hardwareAddress = isKnown ? hardwareAddress : nil
  }
}
