import Bytes
import Testing

@testable import HomeAssistant

@Suite struct DiscoveryTests {
  private var now = Instant(nanoseconds: 0)
  private var discovery = Discovery()

  // MARK: Asking

  @Test mutating func theQueryIsWhatTheStandardSays() {
    // Header: one question. Then the name, type PTR, class IN (RFC 1035, 4.1).
    let question = hex("0f5f686f6d652d617373697374616e74 045f746370 056c6f63616c 00 000c 0001")
    #expect(discovery.begin(now: now) == .send(hex("0000 0000 0001 0000 0000 0000") + question))
  }

  @Test mutating func itAsksTwiceAndEndsAfterTwoSeconds() throws {
    let query = try query(in: discovery.begin(now: now))
    #expect(discovery.deadline == now + .seconds(1))
    #expect(discovery.deadlineReached(now: now + .milliseconds(999)) == nil)
    #expect(discovery.deadlineReached(now: now + .seconds(1)) == .send(query))
    #expect(discovery.deadline == now + .seconds(2))
    #expect(discovery.deadlineReached(now: now + .seconds(2)) == .end)
    #expect(discovery.deadline == nil)
  }

  @Test mutating func aBoardThatSleptTwoSecondsIsAtTheEnd() {
    _ = discovery.begin(now: now)
    #expect(discovery.deadlineReached(now: now + .seconds(5)) == .end)
  }

  @Test mutating func whatAnAnswerLeftOutIsAskedFor() throws {
    _ = discovery.begin(now: now)
    receive(.pointer("Boat"))
    let query = try query(in: discovery.deadlineReached(now: now + .seconds(1)))
    #expect(query[5] == 3)
    let name = Answer.name(["Boat", "_home-assistant", "_tcp", "local"])
    #expect(
      Array(query.suffix(2 * (name.count + 4))) == name + [0, 33, 0, 1] + name + [0, 16, 0, 1])
    receive(.service("Boat", host: "boat", port: 80))
    receive(.address("boat", [10, 0, 0, 7]))
    #expect(discovery.instances.map { $0.urls.map(\.string) } == [["http://10.0.0.7:80"]])
  }

  // MARK: Answers

  /// What python-zeroconf 0.146, which Home Assistant uses, sent to the query above.
  private static let realAnswer = hex(
    """
    0000840000010001000000040f5f686f6d652d617373697374616e74045f746370056c6f63616c00000c0001c00c
    000c000100001194000f0c4f757220426f617420e29bb5c00c203031323334353637383961626364656630313233
    343536373839616263646566c021001c0001000000780010fd000000000000000000000000000002c03800100001
    0000119400d81a6c6f636174696f6e5f6e616d653d4f757220426f617420e29bb525757569643d30313233343536
    373839616263646566303132333435363738396162636465661076657273696f6e3d323032352e342e3425657874
    65726e616c5f75726c3d68747470733a2f2f626f61742e6578616d706c652e6f726722696e7465726e616c5f7572
    6c3d687474703a2f2f3139322e302e322e323a3831323321626173655f75726c3d68747470733a2f2f626f61742e
    6578616d706c652e6f72671a72657175697265735f6170695f70617373776f72643d54727565c047000100010000
    00780004c0000202c03800210001000000780008000000001fbbc047
    """)

  @Test mutating func aRealAnswerIsUnderstood() throws {
    discovery.datagramReceived(Self.realAnswer.span)
    let instance = try #require(discovery.instances.first)
    #expect(instance.name == "Our Boat ⛵")
    #expect(instance.uuid == "0123456789abcdef0123456789abcdef")
    #expect(instance.version == "2025.4.4")
    #expect(
      instance.urls.map(\.string) == [
        "http://192.0.2.2:8123", "http://[fd00:0000:0000:0000:0000:0000:0000:0002]:8123",
        "https://boat.example.org",
      ])
  }

  @Test mutating func theSameInstanceIsFoundOnce() {
    // Over two interfaces, after two queries.
    for _ in 0..<4 { discovery.datagramReceived(Self.realAnswer.span) }
    // And under a second name.
    for name in ["A", "B"] {
      receive(
        .pointer(name), .attributes(name, ["uuid=1"]), .service(name, host: "boat", port: 8123),
        .address("boat", [10, 0, 0, 1]))
    }
    #expect(discovery.instances.count == 2)
  }

  /// One that comes first would else be the only one to be seen.
  @Test mutating func whoClaimsTheIDOfAnotherHidesNothing() {
    receive(
      .pointer("Other"), .attributes("Other", ["uuid=0123456789abcdef0123456789abcdef"]),
      .service("Other", host: "other", port: 1), .address("other", [10, 0, 0, 1]))
    discovery.datagramReceived(Self.realAnswer.span)
    #expect(
      discovery.instances.map { $0.urls.first } == ["http://10.0.0.1:1", "http://192.0.2.2:8123"])
  }

  @Test(arguments: [false, true])
  mutating func whoContradictsTheRecordsOfAnotherHidesNothing(comesFirst: Bool) {
    func lie(_ tests: inout Self) {
      tests.receive(
        .pointer("Boat"), .attributes("Boat", ["internal_url=http://203.0.113.9"]),
        .service("Boat", host: "liar", port: 80), .address("liar", [203, 0, 113, 8]))
    }
    if comesFirst { lie(&self) }
    receive(
      .pointer("Boat"), .attributes("Boat", ["uuid=1"]), .service("Boat", host: "boat", port: 8123),
      .address("boat", [10, 0, 0, 7]))
    if !comesFirst { lie(&self) }
    let urls = discovery.instances.flatMap(\.urls)
    #expect(urls.contains("http://10.0.0.7:8123"))
    #expect(urls.contains("http://203.0.113.9") && urls.contains("http://203.0.113.8:80"))
  }

  @Test(arguments: [false, true])
  mutating func whoContradictsThePortOfAnotherHidesNothing(comesFirst: Bool) {
    let ports: [UInt16] = comesFirst ? [80, 8123] : [8123, 80]
    for port in ports {
      receive(
        .pointer("Boat"), .attributes("Boat", ["uuid=1"]),
        .service("Boat", host: "boat", port: port), .address("boat", [10, 0, 0, 7]))
    }
    let urls = discovery.instances.flatMap(\.urls)
    #expect(urls.contains("http://10.0.0.7:8123") && urls.contains("http://10.0.0.7:80"))
  }

  @Test mutating func instancesWithoutAnIDAreDifferentOnes() {
    for name in ["A", "B"] {
      receive(
        .pointer(name), .service(name, host: name, port: 8123), .address(name, [10, 0, 0, 1]))
    }
    #expect(discovery.instances.map(\.name) == ["A", "B"])
  }

  @Test mutating func theOrderOfTheRecordsDoesNotMatter() {
    receive(
      .address("boat", [10, 0, 0, 7]), .attributes("Boat", ["version=1"]),
      .service("BOAT", host: "Boat", port: 8123), .pointer("boat"))
    #expect(discovery.instances.map { $0.urls.map(\.string) } == [["http://10.0.0.7:8123"]])
    #expect(discovery.instances.first?.version == "1")
  }

  @Test mutating func recordsOfOtherServicesAreLeftOut() {
    receive(
      Answer.record(["_http", "_tcp", "local"], type: 12, Answer.name(["X", "_http", "local"])),
      Answer.record(
        ["_home-assistant", "_tcp", "local"], type: 12, Answer.name(["X", "_http", "local"])),
      Answer.record(["X", "_http", "local"], type: 33, [0, 0, 0, 0, 0, 80] + Answer.name(["x"])),
      .address("x", [10, 0, 0, 7]))
    #expect(discovery.instances.isEmpty)
  }

  @Test(arguments: [
    "ftp://boat", "javascript:alert(1)", "http://a b", "http://\u{1B}[2J", "", "boat:8123",
  ])
  mutating func whatIsNoWebAddressIsNotOffered(url: String) {
    receive(.pointer("Boat"), .attributes("Boat", ["internal_url=\(url)"]))
    #expect(discovery.instances.isEmpty)
  }

  @Test mutating func anAddressOfOneLinkIsNotOffered() {
    let linkLocal = [0xFE, 0x80] + [UInt8](repeating: 1, count: 14)
    receive(
      .pointer("Boat"), .service("Boat", host: "boat", port: 8123),
      Answer.record(["boat", "local"], type: 28, linkLocal))
    #expect(discovery.instances.isEmpty)
  }

  @Test mutating func keysAreOfAnyCaseAndTheFirstOneStands() throws {
    receive(
      .pointer("Boat"),
      .attributes("Boat", ["UUID", "Internal_URL=http://a/", "internal_url=http://b", "uuid=7"]))
    let instance = try #require(discovery.instances.first)
    #expect(instance.urls == ["http://a"])
    #expect(instance.uuid == "7")
  }

  // MARK: Hostile answers

  @Test mutating func aNetworkFullOfLiarsDoesNotFillTheMemory() throws {
    for index in 0..<1000 {
      let name = "liar\(index)"
      receive(.pointer(name), .service(name, host: name, port: 1))
      for byte in 0..<20 { receive(.address("liar0", [10, 0, 0, UInt8(byte)])) }
    }
    #expect(discovery.instances.count == 1)
    #expect(discovery.instances.first?.urls.count == Discovery.addressesMax)
    _ = discovery.begin(now: now)
    let query = try query(in: discovery.deadlineReached(now: now + .seconds(1)))
    #expect(query.count <= DNSQuery.byteCountMax && query.count > 500)
    #expect(Int(query[4]) << 8 | Int(query[5]) == questionCount(of: query))
  }

  /// Counts whole questions: a name, which is not compressed, and four bytes.
  private func questionCount(of query: [UInt8]) -> Int {
    var (count, index) = (0, 12)
    while index < query.count {
      while index < query.count, query[index] > 0 { index += 1 + Int(query[index]) }
      index += 5
      count += index <= query.count ? 1 : 0
    }
    return count
  }

  @Test func aDatagramFillsTheMemoryWith256RecordsAtMost() throws {
    let records = (0..<300).map { Answer.record(["a\($0)"], type: 1, [10, 0, 0, 1]) }
    #expect(try DNSMessage(parsing: Answer.message(records).span).records.count == 256)
  }

  @Test func whatIsCutShortIsRefused() {
    // The questions and records are counted at the beginning, so no part of it is whole.
    for cut in truncations(of: Self.realAnswer) {
      #expect(throws: DNSError.self) { try DNSMessage(parsing: cut.span) }
    }
  }

  @Test func noBitMakesTheReaderStumble() {
    for flipped in flips(of: Self.realAnswer) {
      var discovery = Discovery()
      discovery.datagramReceived(flipped.span)
      #expect(discovery.instances.count <= 1)
    }
  }

  @Test(arguments: [
    // To itself; forwards; and to one another.
    "c00c", "c0ff", "c00e c00c",
    // Bits 01 and 10 before a label; a label past the end; no end.
    "4161", "8061", "3f61", "0161", "c0",
  ])
  func aNameThatLeadsAstrayIsRefused(name: String) {
    let message = hex("0000 8400 0001 0000 0000 0000") + hex(name)
    #expect(throws: DNSError.self) { try DNSMessage(parsing: message.span) }
  }

  @Test func aNameIsAtMost255BytesLong() throws {
    let label = [UInt8(63)] + [UInt8](repeating: UInt8(ascii: "a"), count: 63)
    let longest = label + label + label + [61] + [UInt8](repeating: UInt8(ascii: "b"), count: 61)
    let header = hex("0000 8400 0001 0000 0000 0000")
    _ = try DNSMessage(parsing: (header + longest + [0] + hex("000c 0001")).span)
    let longer = label + label + label + [62] + [UInt8](repeating: UInt8(ascii: "b"), count: 62)
    #expect(throws: DNSError.self) {
      try DNSMessage(parsing: (header + longer + [0] + hex("000c 0001")).span)
    }
  }

  @Test func compressionsOfCompressionsEnd() {
    // 20 questions, each with a name that leads to the one before; each is legal by itself.
    var message = hex("0000 8400 0014 0000 0000 0000") + hex("0161 00 0001 0001")
    var target = 12
    for _ in 1..<20 {
      let start = message.count
      message += [0xC0, UInt8(target)] + hex("0001 0001")
      target = start
    }
    #expect(throws: DNSError.self) { try DNSMessage(parsing: message.span) }
  }

  @Test(arguments: [
    (UInt16(1), "0a0000"), (1, "0a00000001"), (28, "0a000001"), (12, "016100ff"), (12, "0161"),
    (33, "0000"), (33, "00000000 0050 016100 00"), (16, "0561"), (16, "016105"),
  ])
  func aRecordThatIsNotAsLongAsItSaysIsRefused(type: UInt16, content: String) {
    let message = Answer.message([Answer.record(["a"], type: type, hex(content))])
    #expect(throws: DNSError.self) { try DNSMessage(parsing: message.span) }
  }

  @Test func aQueryOfAnotherIsNoAnswer() {
    var query = Self.realAnswer
    query[2] = 0
    #expect(throws: DNSError.self) { try DNSMessage(parsing: query.span) }
  }

  private func query(in action: Discovery.Action?) throws -> [UInt8] {
    let query: [UInt8]? = if case .send(let query)? = action { query } else { nil }
    return try #require(query, "nothing is asked")
  }

  private mutating func receive(_ records: [UInt8]...) {
    discovery.datagramReceived(Answer.message(records).span)
  }
}

/// Answers, built beside the code under test.
private enum Answer {
  static let service = ["_home-assistant", "_tcp", "local"]

  static func name(_ labels: [String]) -> [UInt8] {
    labels.flatMap { [UInt8($0.utf8.count)] + [UInt8]($0.utf8) } + [0]
  }

  static func record(_ owner: [String], type: UInt16, _ content: [UInt8]) -> [UInt8] {
    name(owner) + two(Int(type)) + [0x80, 1] + [0, 0, 0, 120] + two(content.count) + content
  }

  static func message(_ records: [[UInt8]]) -> [UInt8] {
    hex("0000 8400 0000") + two(records.count) + hex("0000 0000") + records.flatMap { $0 }
  }

  private static func two(_ number: Int) -> [UInt8] {
    [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
  }
}

extension [UInt8] {
  fileprivate static func pointer(_ instance: String) -> [UInt8] {
    Answer.record(Answer.service, type: 12, Answer.name([instance] + Answer.service))
  }

  fileprivate static func service(_ instance: String, host: String, port: UInt16) -> [UInt8] {
    Answer.record(
      [instance] + Answer.service, type: 33,
      [0, 0, 0, 0, UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
        + Answer.name([host, "local"]))
  }

  fileprivate static func attributes(_ instance: String, _ texts: [String]) -> [UInt8] {
    Answer.record(
      [instance] + Answer.service, type: 16,
      texts.flatMap { text -> [UInt8] in
        let bytes = [UInt8](text.utf8.prefix(255))
        return [UInt8(bytes.count)] + bytes
      })
  }

  fileprivate static func address(_ host: String, _ address: [UInt8]) -> [UInt8] {
    Answer.record([host, "local"], type: 1, address)
  }
}

/// The bytes of hexadecimal digits; spaces and line ends are for the reader.
private func hex(_ text: String) -> [UInt8] {
  let digits = text.utf8.compactMap { hexadecimalValue(of: $0) }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
