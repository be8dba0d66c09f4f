import Bytes
import KernelHeaders
import Testing

@testable import Sensing

/// How strong the access point is, as nl80211 tells it.
@Suite final class SignalInquiryTests {
  private var inquiry = SignalInquiry()
  private var sequence: UInt32 = 0

  private static let family = UInt16(35)

  /// Answers the last question with these messages in one datagram.
  private func received(_ messages: [(type: UInt16, payload: [UInt8])]) throws
    -> SignalInquiry.Step
  {
    let datagram = messages.flatMap {
      KernelMessage.message($0.type, sequence: sequence, $0.payload)
    }
    let step = try inquiry.received(datagram.span)
    if step == .send { readSequence() }
    return step
  }

  private func begin() {
    inquiry.begin(interface: 7)
    readSequence()
  }

  private func readSequence() { sequence = FakeKernel.read(UInt32.self, request, 8) }

  private var request: [UInt8] { Self.bytes(of: inquiry.request) }

  private static func bytes(of buffer: borrowing ByteBuffer) -> [UInt8] { [UInt8](buffer.bytes) }

  private static let done = (type: UInt16(3), payload: KernelMessage.integer(Int32(0)))

  private static func refusal(_ error: Int32) -> (type: UInt16, payload: [UInt8]) {
    (2, KernelMessage.integer(-error) + [UInt8](repeating: 0, count: 16))
  }

  private static func families(_ name: String = "nl80211") -> [(type: UInt16, payload: [UInt8])] {
    [
      (16, KernelMessage.family("nlctrl", id: 16, groups: [("notify", 1)])),
      (16, KernelMessage.family(name, id: family, groups: [("scan", 8), ("mlme", 9)])),
    ]
  }

  private static func station(
    last: Int8? = nil, average: Int8? = nil
  ) -> (type: UInt16, payload: [UInt8]) {
    var information = KernelMessage.attribute(NL80211_STA_INFO_INACTIVE_TIME.rawValue, 40)
    if let last {
      information += KernelMessage.attribute(
        NL80211_STA_INFO_SIGNAL.rawValue, [UInt8(bitPattern: last)])
    }
    if let average {
      information += KernelMessage.attribute(
        NL80211_STA_INFO_SIGNAL_AVG.rawValue, [UInt8(bitPattern: average)])
    }
    return (
      family,
      KernelMessage.generic(
        NL80211_CMD_NEW_STATION.rawValue,
        KernelMessage.attribute(NL80211_ATTR_IFINDEX.rawValue, 7)
          + KernelMessage.attribute(NL80211_ATTR_MAC.rawValue, [2, 0, 0, 0, 0, 1])
          + KernelMessage.attribute(NL80211_ATTR_STA_INFO.rawValue, information))
    )
  }

  /// Up to the question about the station.
  private func askOfStation() throws {
    begin()
    #expect(try received(Self.families() + [Self.done]) == .send)
  }

  @Test func theFamilyIsAskedForAndThenTheStation() throws {
    begin()
    #expect(
      request
        == KernelMessage.message(
          16, flags: 0x301, sequence: 1,
          KernelMessage.generic(UInt32(CTRL_CMD_GETFAMILY), [])))
    #expect(try received(Self.families()) == .read)
    #expect(try received([Self.done]) == .send)
    #expect(
      request
        == KernelMessage.message(
          Self.family, flags: 0x301, sequence: 2,
          KernelMessage.generic(
            NL80211_CMD_GET_STATION.rawValue,
            KernelMessage.attribute(NL80211_ATTR_IFINDEX.rawValue, 7))))
    #expect(try received([Self.station(last: -60, average: -61)]) == .read)
    #expect(try received([Self.done]) == .found(dBm: -61))
  }

  @Test func theFamilyIsAskedForOnce() throws {
    try askOfStation()
    _ = try received([Self.done])
    begin()
    #expect(request[4] == UInt8(Self.family))
    #expect(try received([Self.station(last: -90), Self.done]) == .found(dBm: -90))
  }

  @Test func withoutAnAverageTheLastFrameCounts() throws {
    try askOfStation()
    #expect(try received([Self.station(last: -44), Self.done]) == .found(dBm: -44))
  }

  @Test func aStationWithoutAStrengthAndNoStationHaveNone() throws {
    try askOfStation()
    for messages in [[Self.station(), Self.done], [Self.done]] {
      begin()
      #expect(try received(messages) == .send)
      #expect(try received([Self.done]) == .found(dBm: nil))
    }
  }

  /// `iw station dump` of rtl8723bs is empty, and an old brcmfmac refuses it; both tell the signal
  /// of the access point when they are asked for its station.
  @Test(arguments: [false, true])
  func aDriverThatListsNoStationIsAskedForThatOfTheAccessPoint(isRefused: Bool) throws {
    try askOfStation()
    #expect(try received([isRefused ? Self.refusal(EOPNOTSUPP) : Self.done]) == .send)
    let stations = [
      KernelMessage.Station("Other", bssid: [2, 0, 0, 0, 0, 9]),
      KernelMessage.Station("Harbour", bssid: [2, 0, 0, 0, 0, 1], isAssociated: true),
    ]
    let list = stations.map { (type: Self.family, payload: $0.payload(interface: 7)) }
    #expect(try received(list + [Self.done]) == .send)
    #expect(
      request
        == KernelMessage.message(
          Self.family, flags: 0x1, sequence: sequence,
          KernelMessage.generic(
            NL80211_CMD_GET_STATION.rawValue,
            KernelMessage.attribute(NL80211_ATTR_IFINDEX.rawValue, 7)
              + KernelMessage.attribute(NL80211_ATTR_MAC.rawValue, [2, 0, 0, 0, 0, 1]))))
    #expect(try received([Self.station(last: -45)]) == .found(dBm: -45))
  }

  @Test func anAccessPointThatLeftInTheMeantimeHasNoSignal() throws {
    try askOfStation()
    #expect(try received([Self.done]) == .send)
    let station = KernelMessage.Station("Harbour", bssid: [2, 0, 0, 0, 0, 1], isAssociated: true)
    let list = [(type: Self.family, payload: station.payload(interface: 7))]
    #expect(try received(list + [Self.done]) == .send)
    #expect(try received([Self.refusal(ENOENT)]) == .found(dBm: nil))
  }

  @Test func theClientsOfAnOwnAccessPointAreNotItsSignal() throws {
    try askOfStation()
    let stations = [Self.station(last: -40), Self.station(last: -41), Self.station(last: -42)]
    #expect(try received(stations + [Self.done]) == .found(dBm: nil))
  }

  @Test func aKernelWithoutTheFamilyHasNoRadio() throws {
    begin()
    #expect(try received(Self.families("wimax") + [Self.done]) == .noRadio)
  }

  @Test func anInterfaceThatIsNoneHasNoRadio() throws {
    try askOfStation()
    #expect(try received([Self.refusal(ENODEV)]) == .noRadio)
    begin()
    #expect(try received([Self.refusal(EOPNOTSUPP)]) == .send)
    #expect(try received([Self.refusal(EOPNOTSUPP)]) == .noRadio)
  }

  @Test func aFamilyThatLeftIsLookedForAgain() throws {
    try askOfStation()
    #expect(try received([Self.refusal(ENOENT)]) == .failed(errno: ENOENT))
    begin()
    #expect(request[4] == 16)
  }

  @Test func anotherErrorIsToldAndTheFamilyStays() throws {
    try askOfStation()
    #expect(try received([Self.refusal(EPERM)]) == .failed(errno: EPERM))
    begin()
    #expect(request[4] == UInt8(Self.family))
  }

  @Test func anAnswerToAnOlderQuestionIsPassedOver() throws {
    try askOfStation()
    sequence -= 1
    #expect(try received([Self.station(last: -10), Self.done]) == .read)
  }

  /// rtw88_8821au says 0 dBm beside its access point, others a percentage.
  @Test(arguments: [Int8(0), 1, 70, 127])
  func whatNoRadioReceivesIsNoSignal(dBm: Int8) throws {
    try askOfStation()
    #expect(try received([Self.station(last: -44, average: dBm), Self.done]) == .found(dBm: -44))
    begin()
    #expect(try received([Self.station(last: dBm), Self.done]) != .found(dBm: dBm))
  }

  @Test func whatIsNoMessageIsRefused() throws {
    try askOfStation()
    #expect(throws: NetlinkError.truncated) { try inquiry.received([1, 2, 3].span) }
  }

  /// Whatever the bytes are, and wherever a good answer is damaged, it ends in a step or an error.
  @Test func noBytesEndIt() throws {
    var random = SplitMix64(seed: 20_261_123)
    for _ in 0..<5000 {
      try askOfStation()
      let messages = [Self.station(last: -60, average: -61), Self.done]
      var datagram = messages.flatMap {
        KernelMessage.message($0.type, sequence: sequence, $0.payload)
      }
      for _ in 0...(random.next() % 4) {
        let index = Int(truncatingIfNeeded: random.next() % UInt64(datagram.count))
        datagram[index] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = try? inquiry.received(datagram.span)
      inquiry = SignalInquiry()
    }
  }
}
