/// A netlink protocol of the kernel.
public enum NetlinkProtocol: Equatable, Sendable {
  /// `NETLINK_ROUTE`: interfaces, routes, neighbours.
  case route
  /// `NETLINK_GENERIC`: families such as nl80211.
  case generic
}

/// Constants of netlink from the kernel's headers: `linux/netlink.h`, `linux/genetlink.h`,
/// `linux/rtnetlink.h`, `linux/neighbour.h`, `linux/if_link.h`, `linux/nl80211.h`. They are part of
/// the kernel's stable interface.
enum Netlink {
  /// Headers and attributes begin at multiples of this (`NLMSG_ALIGNTO`, `NLA_ALIGNTO`).
  static let alignment = 4
  static let messageHeaderByteCount = 16
  static let attributeHeaderByteCount = 4

  enum MessageType {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    /// Types below this one are netlink's own (`NLMSG_MIN_TYPE`).
    static let firstOfFamily: UInt16 = 16
  }

  enum Flag {
    static let request: UInt16 = 0x1
    /// The list changed while it was made: an entry may be missing or duplicated.
    static let dumpInterrupted: UInt16 = 0x10
    /// The whole list (`NLM_F_DUMP`).
    static let dump: UInt16 = 0x300
  }

  /// Mask of an attribute's number; the other bits mean nested, and network byte order.
  static let attributeTypeMask: UInt16 = 0x3FFF
}

/// Routes, links and neighbours: `NETLINK_ROUTE`.
enum RouteNetlink {
  enum MessageType {
    static let newLink: UInt16 = 16
    static let deleteLink: UInt16 = 17
    static let getLink: UInt16 = 18
    static let newRoute: UInt16 = 24
    static let deleteRoute: UInt16 = 25
    static let getRoute: UInt16 = 26
    static let newNeighbour: UInt16 = 28
    static let getNeighbour: UInt16 = 30
    static let newRule: UInt16 = 32
    static let deleteRule: UInt16 = 33
  }

  enum Group {
    static let link: UInt32 = 1
    static let neighbour: UInt32 = 3
    static let ipv4Route: UInt32 = 7
    static let ipv4Rule: UInt32 = 8
    static let ipv6Route: UInt32 = 11
    static let ipv6Rule: UInt32 = 19
  }

  enum Route {
    static let byteCount = 12
    static let destination: UInt16 = 1
    static let outputInterface: UInt16 = 4
    static let gateway: UInt16 = 5
    static let priority: UInt16 = 6
    static let multipath: UInt16 = 9
    static let via: UInt16 = 18
    static let preference: UInt16 = 20

    static let mainTable: UInt8 = 254
    static let unicast: UInt8 = 1
    /// Local, broadcast, anycast, multicast: addresses of the machine itself, and of groups.
    static let ownAddresses: ClosedRange<UInt8> = 2...5
    /// An entry of a cache (`RTM_F_CLONED`).
    static let cloned: UInt32 = 0x200
    /// The interface is down, or nothing is plugged in (`RTNH_F_DEAD`, `RTNH_F_LINKDOWN`).
    static let unusable: UInt32 = 0x1 | 0x10
    static let nextHopByteCount = 8
  }

  enum Link {
    static let byteCount = 16
    static let name: UInt16 = 3
    /// An event of the old wireless interface, such as the end of a scan.
    static let wireless: UInt16 = 11
    /// Ethernet and compatible links, including radios (`ARPHRD_ETHER`).
    static let ethernet: UInt16 = 1
  }

  enum Neighbour {
    static let byteCount = 12
    static let destination: UInt16 = 1
    static let linkAddress: UInt16 = 2
    /// Reachable, stale, delay, probe, permanent: the address has answered.
    static let isKnown: UInt16 = 0x02 | 0x04 | 0x08 | 0x10 | 0x80
  }
}

/// Families that are found by name: `NETLINK_GENERIC`.
enum GenericNetlink {
  static let headerByteCount = 4
  /// The family that lists the others (`GENL_ID_CTRL`).
  static let controller: UInt16 = 16

  enum Command {
    static let newFamily: UInt8 = 1
    static let getFamily: UInt8 = 3
  }

  enum Family {
    static let id: UInt16 = 1
    static let name: UInt16 = 2
    static let groups: UInt16 = 7
    static let groupName: UInt16 = 1
    static let groupID: UInt16 = 2
  }
}

/// Wireless networks: the family `nl80211`.
enum WirelessNetlink {
  static let familyName: StaticString = "nl80211"
  /// Group that announces associations (`NL80211_MULTICAST_GROUP_MLME`).
  static let associationGroup: StaticString = "mlme"

  enum Command {
    static let getStation: UInt8 = 17
    static let newStation: UInt8 = 19
    static let getScan: UInt8 = 32
    static let newScanResults: UInt8 = 34
    /// Connect, roam and disconnect.
    static let associations: ClosedRange<UInt8> = 46...48
  }

  enum Attribute {
    static let interface: UInt16 = 3
    /// `NL80211_ATTR_MAC`.
    static let address: UInt16 = 6
    static let stationInformation: UInt16 = 21
    static let station: UInt16 = 47
  }

  /// The driver's information about an associated station, in dBm.
  enum StationInformation {
    static let signal: UInt16 = 7
    static let signalAverage: UInt16 = 13
  }

  enum Station {
    static let bssid: UInt16 = 1
    static let elements: UInt16 = 6
    static let status: UInt16 = 9
    static let beaconElements: UInt16 = 11
    static let associated: UInt32 = 1
  }

  /// Element of a frame with the name (IEEE 802.11, 9.4.2.2).
  static let ssidElement: UInt8 = 0
}
