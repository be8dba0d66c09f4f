import Bytes
import KernelHeaders
import Testing

@testable import Sensing

@Suite struct NetlinkMessageTests {
  private struct Seen: Equatable {
    var type: UInt16
    var flags: UInt16
    var sequence: UInt32
    var port: UInt32
    var payload: [UInt8]
  }

  private func messages(_ datagram: [UInt8]) throws(NetlinkError) -> [Seen] {
    var reader = NetlinkMessages(datagram.span)
    var seen: [Seen] = []
    while let message = try reader.next() {
      seen.append(
        Seen(
          type: message.type, flags: message.flags, sequence: message.sequence, port: message.port,
          payload: [UInt8](message.payload)))
    }
    return seen
  }

  private func attributes(_ bytes: [UInt8]) throws(NetlinkError) -> [UInt16: [UInt8]] {
    var reader = NetlinkAttributes(bytes.span)
    var seen: [UInt16: [UInt8]] = [:]
    while let attribute = try reader.next() { seen[attribute.type] = [UInt8](attribute.value) }
    return seen
  }

  @Test func messagesFollowOneAnotherAtMultiplesOfFour() throws {
    let datagram =
      KernelMessage.message(24, flags: 2, sequence: 7, port: 9, [1, 2, 3, 4, 5])
      + KernelMessage.message(3, [])
    #expect(
      try messages(datagram) == [
        Seen(type: 24, flags: 2, sequence: 7, port: 9, payload: [1, 2, 3, 4, 5]),
        Seen(type: 3, flags: 0, sequence: 0, port: 0, payload: []),
      ])
    #expect(try messages([]).isEmpty)
  }

  @Test func theLastMessageAndTheLastAttributeNeedNoPadding() throws {
    let message = KernelMessage.message(24, [1, 2, 3, 4, 5])
    #expect(try messages([UInt8](message.dropLast(3))).first?.payload == [1, 2, 3, 4, 5])
    let attribute = KernelMessage.attribute(3, [1, 2, 3, 4, 5])
    #expect(try attributes([UInt8](attribute.dropLast(3))) == [3: [1, 2, 3, 4, 5]])
  }

  @Test(arguments: [0, 1, 15, 17, 32, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
  func aMessageWhoseLengthCannotBeIsRefused(length: UInt32) {
    let datagram = KernelMessage.integer(length) + [UInt8](repeating: 0, count: 12)
    #expect(throws: NetlinkError.badLength) { try messages(datagram) }
  }

  @Test(arguments: [0, 1, 3, 9, 0xFFFF] as [UInt16])
  func anAttributeWhoseLengthCannotBeIsRefused(length: UInt16) {
    let bytes = KernelMessage.integer(length) + KernelMessage.integer(UInt16(1)) + [0, 0, 0, 0]
    #expect(throws: NetlinkError.badLength) { try attributes(bytes) }
  }

  @Test func bytesThatEndInsideAHeaderAreRefused() {
    for count in 1..<16 {
      #expect(throws: NetlinkError.truncated) { try messages([UInt8](repeating: 1, count: count)) }
    }
    for count in 1..<4 {
      #expect(throws: NetlinkError.truncated) {
        try attributes([UInt8](repeating: 4, count: count))
      }
    }
  }

  @Test func anAttributeOfNoBytesIsOne() throws {
    #expect(try attributes([4, 0, 11, 0]) == [11: []])
  }

  @Test func whatATypeSaysBesideItsNumberIsLeftOut() throws {
    let nested = KernelMessage.attribute(UInt16(7) | UInt16(NLA_F_NESTED), [1])
    let network = KernelMessage.attribute(UInt16(8) | UInt16(NLA_F_NET_BYTEORDER), [2])
    #expect(try attributes(nested + network) == [7: [1], 8: [2]])
  }

  @Test func aNumberOfAnotherSizeIsNone() throws {
    for count in 0...9 {
      var reader = NetlinkAttributes(
        KernelMessage.attribute(1, [UInt8](repeating: 1, count: count)).span)
      let attribute = try reader.next()
      let numbers = (attribute?.uint16, attribute?.uint32)
      #expect(numbers.0 == (count == 2 ? 0x0101 : nil))
      #expect(numbers.1 == (count == 4 ? 0x0101_0101 : nil))
    }
  }

  // MARK: Requests

  private func request(_ request: NetlinkRequest) -> [UInt8] {
    var buffer = ByteBuffer(capacity: NetlinkRequest.byteCountMax)
    buffer.append(request, sequence: 0x0102_0304)
    return [UInt8](buffer.bytes)
  }

  private func expected(_ type: some BinaryInteger, isForList: Bool, _ payload: [UInt8]) -> [UInt8]
  {
    let flags = NLM_F_REQUEST | (isForList ? NLM_F_DUMP : 0)
    return KernelMessage.message(type, flags: Int(flags), sequence: 0x0102_0304, payload)
  }

  @Test func questionsAboutRoutesAreWhatTheHeadersSay() throws {
    var header = rtmsg()
    for (family, number) in [(NetworkAddress.Family.ipv4, AF_INET), (.ipv6, AF_INET6)] {
      header.rtm_family = UInt8(number)
      #expect(
        request(.routes(family))
          == expected(RTM_GETROUTE, isForList: true, KernelMessage.integer(header)))
    }
  }

  @Test func aQuestionAboutALinkIsWhatTheHeadersSay() {
    var header = ifinfomsg()
    header.ifi_index = 77
    #expect(
      request(.link(77)) == expected(RTM_GETLINK, isForList: false, KernelMessage.integer(header)))
  }

  @Test func aQuestionAboutANeighbourIsWhatTheHeadersSay() throws {
    for bytes in [[10, 0, 0, 1], [UInt8](1...16)] as [[UInt8]] {
      let family: NetworkAddress.Family = bytes.count == 4 ? .ipv4 : .ipv6
      let address = NetworkAddress(family, bytes.span)
      var header = ndmsg()
      header.ndm_family = UInt8(bytes.count == 4 ? AF_INET : AF_INET6)
      header.ndm_ifindex = 5
      #expect(
        request(.neighbour(try #require(address), interface: 5))
          == expected(
            RTM_GETNEIGH, isForList: false,
            KernelMessage.integer(header) + KernelMessage.attribute(NDA_DST, bytes)))
    }
  }

  @Test func questionsAboutRadiosAreWhatTheHeadersSay() throws {
    #expect(
      request(.families)
        == expected(
          NLMSG_MIN_TYPE, isForList: true, KernelMessage.generic(UInt32(CTRL_CMD_GETFAMILY), [])))
    let entry = KernelMessage.message(
      16, KernelMessage.family("nl80211", id: 35, groups: [("mlme", 9)]))
    let family = try WirelessFamily(reading: entry)
    #expect(
      request(.stations(try #require(family), interface: 300))
        == expected(
          35, isForList: true,
          KernelMessage.generic(
            NL80211_CMD_GET_SCAN.rawValue,
            KernelMessage.attribute(NL80211_ATTR_IFINDEX.rawValue, 300))))
  }
}
