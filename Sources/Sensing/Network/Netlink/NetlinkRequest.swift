import Bytes

/// A request to the kernel.
enum NetlinkRequest {
  /// All routes of a family, including other tables.
  case routes(NetworkAddress.Family)
  /// Route to an address.
  case way(NetworkAddress)
  /// Properties of an interface.
  case link(UInt32)
  case neighbour(NetworkAddress, interface: UInt32)
  /// All present families. A request for one by its name would make the kernel load its module.
  case families
  /// The stations that an interface has received.
  case stations(WirelessFamily, interface: UInt32)
  /// The stations that an interface is associated with.
  case associatedStations(WirelessFamily, interface: UInt32)
  case station(WirelessFamily, interface: UInt32, bssid: HardwareAddress)

  /// Maximum size: a request for the neighbour with an IPv6 address.
  static let byteCountMax = 48

  var type: UInt16 {
    switch self {
    case .routes, .way: RouteNetlink.MessageType.getRoute
    case .link: RouteNetlink.MessageType.getLink
    case .neighbour: RouteNetlink.MessageType.getNeighbour
    case .families: GenericNetlink.controller
    case .stations(let family, _), .associatedStations(let family, _), .station(let family, _, _):
      family.id
    }
  }

  /// Whether the answer is a list of many messages.
  var isForList: Bool {
    switch self {
    case .routes, .families, .stations, .associatedStations: true
    case .way, .link, .neighbour, .station: false
    }
  }
}

extension ByteBuffer {
  mutating func append(_ request: NetlinkRequest, sequence: UInt32) {
    let start = count
    // The length, which is known at the end.
    appendZeros(4)
    append(native: request.type)
    append(native: Netlink.Flag.request | (request.isForList ? Netlink.Flag.dump : 0))
    append(native: sequence)
    // The port: the kernel knows the sender.
    append(native: UInt32(0))
    appendBody(of: request)
    precondition(!isOverflowed, "the buffer holds the largest request")
    let byteCount = UInt32(count - start).littleEndian
    for index in 0..<4 { self[start + index] = UInt8(truncatingIfNeeded: byteCount >> (8 * index)) }
  }

  private mutating func appendBody(of request: NetlinkRequest) {
    switch request {
    case .routes(let family):
      append(family.rawValue)
      appendZeros(RouteNetlink.Route.byteCount - 1)
    case .way(let address):
      append(address.family.rawValue)
      append(UInt8(8 * address.family.byteCount))
      appendZeros(RouteNetlink.Route.byteCount - 2)
      append(attribute: RouteNetlink.Route.destination, address.bytes)
    case .link(let interface):
      append(native: UInt32(0))
      append(native: interface)
      appendZeros(8)
    case .neighbour(let address, let interface):
      append(address.family.rawValue)
      appendZeros(3)
      append(native: interface)
      appendZeros(4)
      append(attribute: RouteNetlink.Neighbour.destination, address.bytes)
    case .families: appendGenericHeader(GenericNetlink.Command.getFamily)
    case .stations(_, let interface):
      append(WirelessNetlink.Command.getScan, ofInterface: interface)
    case .associatedStations(_, let interface):
      append(WirelessNetlink.Command.getStation, ofInterface: interface)
    case .station(_, let interface, let bssid):
      append(WirelessNetlink.Command.getStation, ofInterface: interface)
      appendAttributeHeader(
        WirelessNetlink.Attribute.address, valueByteCount: HardwareAddress.byteCount)
      appendBytes(of: bssid)
      appendZeros(2)
    }
  }

  private mutating func append(_ command: UInt8, ofInterface interface: UInt32) {
    appendGenericHeader(command)
    appendAttributeHeader(WirelessNetlink.Attribute.interface, valueByteCount: 4)
    append(native: interface)
  }

  /// Appends a command and a version, which the kernel ignores.
  private mutating func appendGenericHeader(_ command: UInt8) {
    append(command)
    append(1)
    append(native: UInt16(0))
  }

  /// Appends an attribute whose value is a multiple of the alignment.
  private mutating func append(attribute type: UInt16, _ value: Span<UInt8>) {
    appendAttributeHeader(type, valueByteCount: value.count)
    append(value)
  }

  private mutating func appendAttributeHeader(_ type: UInt16, valueByteCount: Int) {
    append(native: UInt16(Netlink.attributeHeaderByteCount + valueByteCount))
    append(native: type)
  }
}
