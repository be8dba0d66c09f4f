import KernelHeaders

/// Bytes as the kernel lays them out, made of the numbers of its headers.
enum KernelMessage {
  static func integer<Value: BitwiseCopyable>(_ number: Value) -> [UInt8] {
    unsafe withUnsafeBytes(of: number) { unsafe [UInt8]($0) }
  }

  static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  static func attribute(_ type: some BinaryInteger, _ value: [UInt8]) -> [UInt8] {
    padded(integer(UInt16(4 + value.count)) + integer(UInt16(type)) + value)
  }

  static func attribute(_ type: some BinaryInteger, _ number: UInt32) -> [UInt8] {
    attribute(type, integer(number))
  }

  static func message(
    _ type: some BinaryInteger, flags: Int = 0, sequence: UInt32 = 0, port: UInt32 = 0,
    _ payload: [UInt8]
  ) -> [UInt8] {
    padded(
      integer(UInt32(16 + payload.count)) + integer(UInt16(type)) + integer(UInt16(flags))
        + integer(sequence) + integer(port) + payload)
  }

  // MARK: Routes, links, neighbours

  struct Hop {
    var interface: UInt32
    var gateway: [UInt8]?
    var flags: Int32 = 0
  }

  struct Route {
    var family = AF_INET
    var destinationBits: UInt8 = 0
    var sourceBits: UInt8 = 0
    var service: UInt8 = 0
    var table = UInt32(RT_TABLE_MAIN.rawValue)
    var type = RTN_UNICAST
    var flags: UInt32 = 0
    var metric: UInt32?
    /// As RFC 4191 has it in two bits.
    var preference: UInt8?
    var destination: [UInt8]?
    var interface: UInt32?
    var gateway: [UInt8]?
    /// A gateway of the other family.
    var via: (family: Int32, address: [UInt8])?
    var hops: [Hop] = []

    var payload: [UInt8] {
      var bytes: [UInt8] = [
        UInt8(family), destinationBits, sourceBits, service, table < 256 ? UInt8(table) : 252,
        UInt8(RTPROT_BOOT), 0, UInt8(type),
      ]
      bytes += integer(flags)
      bytes += attribute(RTA_TABLE.rawValue, table)
      if let metric { bytes += attribute(RTA_PRIORITY.rawValue, metric) }
      if let preference { bytes += attribute(RTA_PREF.rawValue, [preference]) }
      if let destination { bytes += attribute(RTA_DST.rawValue, destination) }
      if let gateway { bytes += attribute(RTA_GATEWAY.rawValue, gateway) }
      if let via {
        bytes += attribute(RTA_VIA.rawValue, integer(UInt16(via.family)) + via.address)
      }
      if let interface { bytes += attribute(RTA_OIF.rawValue, interface) }
      if !hops.isEmpty {
        let list = hops.flatMap { hop in
          let gateway = hop.gateway.map { attribute(RTA_GATEWAY.rawValue, $0) } ?? []
          return integer(UInt16(8 + gateway.count)) + [UInt8(hop.flags), 0]
            + integer(hop.interface) + gateway
        }
        bytes += attribute(RTA_MULTIPATH.rawValue, list)
      }
      return bytes
    }
  }

  static func link(
    _ interface: UInt32, _ name: String, hardware: Int32 = ARPHRD_ETHER, isOfRadio: Bool = false
  ) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(AF_UNSPEC), 0]
    bytes += integer(UInt16(hardware)) + integer(interface) + integer(UInt32(0x11043))
    bytes += integer(UInt32(0))
    bytes += attribute(IFLA_IFNAME, [UInt8](name.utf8) + [0])
    bytes += attribute(IFLA_MTU, 1500)
    if isOfRadio { bytes += attribute(IFLA_WIRELESS, [8, 0, 0x19, 0x8B, 0, 0, 0, 0]) }
    return bytes
  }

  static func neighbour(
    _ interface: UInt32, _ address: [UInt8], hardware: [UInt8]?, state: Int32
  ) -> [UInt8] {
    var bytes = [UInt8(address.count == 4 ? AF_INET : AF_INET6), 0, 0, 0]
    bytes += integer(interface) + integer(UInt16(state)) + [0, UInt8(RTN_UNICAST)]
    bytes += attribute(NDA_DST, address)
    if let hardware { bytes += attribute(NDA_LLADDR, hardware) }
    return bytes
  }

  // MARK: Families and radios

  static func generic(_ command: UInt32, _ attributes: [UInt8]) -> [UInt8] {
    [UInt8(command), 1, 0, 0] + attributes
  }

  static func family(
    _ name: String, id: UInt16, groups: [(name: String, id: UInt32)]
  ) -> [UInt8] {
    let list = groups.enumerated().flatMap { index, group in
      attribute(
        index + 1,
        attribute(CTRL_ATTR_MCAST_GRP_NAME, [UInt8](group.name.utf8) + [0])
          + attribute(CTRL_ATTR_MCAST_GRP_ID, group.id))
    }
    return generic(
      UInt32(CTRL_CMD_NEWFAMILY),
      attribute(CTRL_ATTR_FAMILY_NAME, [UInt8](name.utf8) + [0])
        + attribute(CTRL_ATTR_FAMILY_ID, integer(id)) + attribute(CTRL_ATTR_MCAST_GROUPS, list))
  }

  /// Elements of a frame as they go through the air, one after the other.
  static func elements(_ list: [(id: UInt8, bytes: [UInt8])]) -> [UInt8] {
    list.flatMap { [$0.id, UInt8($0.bytes.count)] + $0.bytes }
  }

  struct Station {
    var bssid: [UInt8]
    /// What it answers when it is asked, and what it announces by itself.
    var answer: [UInt8]?
    var beacon: [UInt8]?
    var status: UInt32?

    init(
      bssid: [UInt8], answer: [UInt8]? = nil, beacon: [UInt8]? = nil,
      status: nl80211_bss_status? = nil
    ) {
      self.bssid = bssid
      self.answer = answer
      self.beacon = beacon
      self.status = status?.rawValue
    }

    init(_ name: String, bssid: [UInt8], isAssociated: Bool = false) {
      self.init(
        bssid: bssid, answer: elements([(0, [UInt8](name.utf8)), (1, [0x82, 0x84])]),
        status: isAssociated ? NL80211_BSS_STATUS_ASSOCIATED : nil)
    }

    func payload(interface: UInt32) -> [UInt8] {
      var bytes = attribute(NL80211_BSS_BSSID.rawValue, bssid)
      if let answer { bytes += attribute(NL80211_BSS_INFORMATION_ELEMENTS.rawValue, answer) }
      if let beacon { bytes += attribute(NL80211_BSS_BEACON_IES.rawValue, beacon) }
      bytes += attribute(NL80211_BSS_FREQUENCY.rawValue, 2412)
      if let status { bytes += attribute(NL80211_BSS_STATUS.rawValue, status) }
      return generic(
        NL80211_CMD_NEW_SCAN_RESULTS.rawValue,
        attribute(NL80211_ATTR_GENERATION.rawValue, 10)
          + attribute(NL80211_ATTR_IFINDEX.rawValue, interface)
          + attribute(NL80211_ATTR_BSS.rawValue, bytes))
    }
  }
}
