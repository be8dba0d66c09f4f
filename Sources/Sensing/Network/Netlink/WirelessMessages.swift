import Bytes

/// The number of the nl80211 family, valid until the kernel or the module is loaded again.
struct WirelessFamily: Equatable, Sendable {
  let id: UInt16
  /// Multicast group that announces associations.
  let associationGroup: UInt32

  /// Parses an entry of the controller's list; nil if it is of another family, or incomplete.
  init?(_ message: borrowing NetlinkMessage) throws(NetlinkError) {
    var attributes = try message.attributes(after: GenericNetlink.headerByteCount)
    guard message.payload[0] == GenericNetlink.Command.newFamily else { return nil }
    var isWireless = false
    var id: UInt16?
    var group: UInt32?
    while let attribute = try attributes.next() {
      switch attribute.type {
      case GenericNetlink.Family.name:
        isWireless = attribute.text.elementsEqual(WirelessNetlink.familyName)
      case GenericNetlink.Family.id: id = attribute.uint16
      case GenericNetlink.Family.groups: group = try Self.associationGroup(in: attribute.nested)
      default: break
      }
    }
    guard isWireless, let id, let group, id >= Netlink.MessageType.firstOfFamily, group > 0 else {
      return nil
    }
    self.id = id
    associationGroup = group
  }

  private static func associationGroup(
    in list: consuming NetlinkAttributes
  ) throws(NetlinkError) -> UInt32? {
    while let entry = try list.next() {
      var attributes = entry.nested
      var isWanted = false
      var id: UInt32?
      while let attribute = try attributes.next() {
        switch attribute.type {
        case GenericNetlink.Family.groupName:
          isWanted = attribute.text.elementsEqual(WirelessNetlink.associationGroup)
        case GenericNetlink.Family.groupID: id = attribute.uint32
        default: break
        }
      }
      if isWanted { return id }
    }
    return nil
  }
}

extension WirelessNetwork {
  /// Parses an entry of the kernel's list of stations that the radio has received; nil if the
  /// machine is not associated with it. The entry remains for a while after its station has gone.
  init?(associatedIn message: borrowing NetlinkMessage) throws(NetlinkError) {
    var attributes = try message.attributes(after: GenericNetlink.headerByteCount)
    guard message.payload[0] == WirelessNetlink.Command.newScanResults else { return nil }
    while let attribute = try attributes.next() {
      guard attribute.type == WirelessNetlink.Attribute.station else { continue }
      if let network = try WirelessNetwork(associated: attribute.nested) {
        self = network
        return
      }
    }
    return nil
  }

  private init?(associated attributes: consuming NetlinkAttributes) throws(NetlinkError) {
    var bssid: HardwareAddress?
    var isAssociated = false
    var answered: SSID?
    var announced: SSID?
    while let attribute = try attributes.next() {
      switch attribute.type {
      case WirelessNetlink.Station.bssid: bssid = HardwareAddress(attribute.value)
      case WirelessNetlink.Station.status:
        isAssociated = attribute.uint32 == WirelessNetlink.Station.associated
      case WirelessNetlink.Station.elements: answered = SSID(elements: attribute.value)
      case WirelessNetlink.Station.beaconElements: announced = SSID(elements: attribute.value)
      default: break
      }
    }
    guard isAssociated, let bssid else { return nil }
    // The probe response of a station contains the name even if its beacon hides it.
    self.init(ssid: answered ?? announced, bssid: bssid)
  }
}

extension SSID {
  /// Finds the name in the elements of a frame: a number, a length, a value, without gaps. They
  /// come from any transmitter: an invalid element only ends the search.
  init?(elements: Span<UInt8>) {
    var position = 0
    while elements.count - position >= 2 {
      let start = position + 2
      let end = start + Int(elements[position + 1])
      guard end <= elements.count else { return nil }
      if elements[position] == WirelessNetlink.ssidElement {
        self.init(elements.extracting(start..<end))
        return
      }
      position = end
    }
    return nil
  }
}

/// An announcement that the machine's association may have changed.
struct AssociationChange {
  /// Nil if the announcement does not contain it.
  let interface: UInt32?

  /// Nil for other events, such as one about another station.
  init?(_ message: borrowing NetlinkMessage) throws(NetlinkError) {
    var attributes = try message.attributes(after: GenericNetlink.headerByteCount)
    guard WirelessNetlink.Command.associations.contains(message.payload[0]) else { return nil }
    var interface: UInt32?
    while let attribute = try attributes.next() {
      if attribute.type == WirelessNetlink.Attribute.interface { interface = attribute.uint32 }
    }
    self.interface = interface
  }
}
