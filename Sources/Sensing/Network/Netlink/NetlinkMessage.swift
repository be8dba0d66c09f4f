import Bytes

/// An error in the form of netlink messages.
public enum NetlinkError: Error, Equatable, Sendable {
  /// The bytes end inside a header.
  case truncated
  /// A length is shorter than its own header, or longer than the rest.
  case badLength
}

extension NetlinkError {
  var words: StaticString {
    switch self {
    case .truncated: "a message that is cut off"
    case .badLength: "an impossible length"
    }
  }
}

/// The messages of one datagram, without a copy (`linux/netlink.h`).
struct NetlinkMessages: ~Escapable {
  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Returns the next message; nil at the end.
  @_lifetime(copy self)
  mutating func next() throws(NetlinkError) -> NetlinkMessage? {
    guard position < bytes.count else { return nil }
    let rest = bytes.extracting(position..<bytes.count)
    guard rest.count >= Netlink.messageHeaderByteCount else { throw .truncated }
    let count = Int(clamping: rest.nativeInteger(UInt32.self, at: 0))
    guard (Netlink.messageHeaderByteCount...rest.count).contains(count) else { throw .badLength }
    position += min(aligned(count), rest.count)
    return NetlinkMessage(rest.extracting(0..<count))
  }
}

/// A netlink message.
///
///     offset size field
///          0    4 length, including the header
///          4    2 type
///          6    2 flags
///          8    4 sequence: in an answer, the one of its request
///         12    4 port: in an answer, the sender of the request
///         16      payload
struct NetlinkMessage: ~Escapable {
  let type: UInt16
  let flags: UInt16
  let sequence: UInt32
  let port: UInt32
  let payload: Span<UInt8>

  @_lifetime(copy bytes)
  fileprivate init(_ bytes: Span<UInt8>) {
    type = bytes.nativeInteger(UInt16.self, at: 4)
    flags = bytes.nativeInteger(UInt16.self, at: 6)
    sequence = bytes.nativeInteger(UInt32.self, at: 8)
    port = bytes.nativeInteger(UInt32.self, at: 12)
    payload = bytes.extracting(Netlink.messageHeaderByteCount..<bytes.count)
  }

  /// Returns the attributes after the family's own header of this size.
  @_lifetime(copy self)
  func attributes(after headerByteCount: Int) throws(NetlinkError) -> NetlinkAttributes {
    guard payload.count >= headerByteCount else { throw .truncated }
    let start = min(aligned(headerByteCount), payload.count)
    return NetlinkAttributes(payload.extracting(start..<payload.count))
  }

  /// Returns the error number of an error message or of the end of a list; 0 for success.
  func errorNumber() throws(NetlinkError) -> Int32 {
    guard payload.count >= 4 else {
      // The end of a list need not contain an error number.
      if type == Netlink.MessageType.done { return 0 }
      throw .truncated
    }
    return 0 &- payload.nativeInteger(Int32.self, at: 0)
  }
}

/// A sequence of attributes: each a length, a type, a value, and zeros up to a multiple of 4.
/// Nested attributes are the value of another one, in the same form.
struct NetlinkAttributes: ~Escapable {
  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Returns the next attribute; nil at the end.
  @_lifetime(copy self)
  mutating func next() throws(NetlinkError) -> NetlinkAttribute? {
    guard position < bytes.count else { return nil }
    let rest = bytes.extracting(position..<bytes.count)
    guard rest.count >= Netlink.attributeHeaderByteCount else { throw .truncated }
    let count = Int(rest.nativeInteger(UInt16.self, at: 0))
    guard (Netlink.attributeHeaderByteCount...rest.count).contains(count) else { throw .badLength }
    position += min(aligned(count), rest.count)
    return NetlinkAttribute(
      type: rest.nativeInteger(UInt16.self, at: 2) & Netlink.attributeTypeMask,
      value: rest.extracting(Netlink.attributeHeaderByteCount..<count))
  }
}

/// A netlink attribute. A number of the wrong size reads as nil.
struct NetlinkAttribute: ~Escapable {
  let type: UInt16
  let value: Span<UInt8>

  @_lifetime(copy value)
  fileprivate init(type: UInt16, value: Span<UInt8>) {
    self.type = type
    self.value = value
  }

  var uint16: UInt16? { value.count == 2 ? value.nativeInteger(UInt16.self, at: 0) : nil }
  var uint32: UInt32? { value.count == 4 ? value.nativeInteger(UInt32.self, at: 0) : nil }

  /// Value as a text, without its final NUL.
  var text: Span<UInt8> {
    @_lifetime(copy self) get {
      value.extracting(0..<(value.firstIndex(of: 0) ?? value.count))
    }
  }

  var nested: NetlinkAttributes {
    @_lifetime(copy self) get { NetlinkAttributes(value) }
  }
}

/// Returns the smallest multiple of the alignment that is not less than `byteCount`.
func aligned(_ byteCount: Int) -> Int {
  (byteCount + Netlink.alignment - 1) / Netlink.alignment * Netlink.alignment
}

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
