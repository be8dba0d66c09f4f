import Bytes

/// A datagram that is not a DNS response: it ends too early, a record's length does not match its
/// content, or a name is too long, has a label of an unknown kind, or does not point backwards.
public struct DNSError: Error {}

/// Response to a query of multicast DNS (RFC 1035, 4.1; RFC 6762, 18).
///
/// Any machine of the network can send one: the parser checks every length, and rejects a message
/// with a single fault.
public struct DNSMessage: Sendable {
  /// Maximum size of a multicast DNS datagram, headers of IP and UDP included (RFC 6762, 17).
  public static let byteCountMax = 9000
  /// Maximum number of stored records; the answer of one Home Assistant has 4, and 1 or 2 more
  /// addresses.
  static let recordsMax = 256

  struct Record: Equatable, Sendable {
    let name: DomainName
    let content: Content
  }

  enum Content: Equatable, Sendable {
    /// PTR: the name of an instance of the service.
    case instance(DomainName)
    /// SRV
    case host(DomainName, port: UInt16)
    /// TXT: `key=value`, or `key` alone.
    case attributes([Text])
    /// A: 4 bytes, AAAA: 16.
    case address([UInt8])
  }

  /// Answer and additional records, without those of other types.
  let records: [Record]

  /// Parses a datagram from the network.
  ///
  /// - Throws: `DNSError`; nothing of the datagram is used.
  public init(parsing bytes: Span<UInt8>) throws(DNSError) {
    var reader = DNSReader(bytes)
    _ = try reader.number16()
    let flags = try reader.number16()
    guard flags & DNSMessage.responseFlag != 0 else { throw DNSError() }
    let questionCount = try reader.number16()
    let answerCount = try reader.number16()
    let authorityCount = try reader.number16()
    let additionalCount = try reader.number16()
    for _ in 0..<questionCount {
      _ = try reader.name()
      try reader.skip(4)
    }
    var records: [Record] = []
    for _ in 0..<Int(answerCount) + Int(authorityCount) + Int(additionalCount) {
      guard let record = try reader.record() else { continue }
      guard records.count < Self.recordsMax else { break }
      records.append(record)
    }
    self.records = records
  }

  private static let responseFlag: UInt16 = 0x8000
}

/// Record types of the queries (RFC 1035, 3.2.2; RFC 2782; RFC 3596).
enum DNSType {
  static let address: UInt16 = 1
  static let pointer: UInt16 = 12
  static let text: UInt16 = 16
  static let longAddress: UInt16 = 28
  static let service: UInt16 = 33
}

/// Class of all queries; in an answer the highest bit is the cache flush bit.
private let internetClass: UInt16 = 1
private let classMask: UInt16 = 0x7FFF

/// Query (RFC 6762, 5.1 and 18: all other fields of the header are zero).
struct DNSQuery: ~Copyable {
  /// Maximum size of a query, which passes every network unfragmented.
  static let byteCountMax = 1200
  private static let headerByteCount = 12

  private var buffer = ByteBuffer(capacity: byteCountMax)
  private var questionCount: UInt8 = 0

  init() { buffer.appendZeros(Self.headerByteCount) }

  /// Asks for records of a type; the question is left out if there is no room.
  mutating func ask(for type: UInt16, of name: DomainName) {
    guard buffer.freeCapacity >= name.wire.count + 4, questionCount < .max else { return }
    buffer.append(name.wire)
    for number in [type, internetClass] {
      buffer.append(UInt8(number >> 8))
      buffer.append(UInt8(truncatingIfNeeded: number))
    }
    questionCount += 1
    buffer[5] = questionCount
  }

  var bytes: [UInt8] { [UInt8](buffer.bytes) }
}

private struct DNSReader: ~Escapable {
  /// Maximum number of compression pointers in one name; writers use one.
  private static let jumpsMax = 16

  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  mutating func skip(_ count: Int) throws(DNSError) {
    guard bytes.count - position >= count else { throw DNSError() }
    position += count
  }

  mutating func number16() throws(DNSError) -> UInt16 {
    try skip(2)
    return UInt16(bytes[position - 2]) << 8 | UInt16(bytes[position - 1])
  }

  mutating func name() throws(DNSError) -> DomainName {
    var wire: [UInt8] = []
    var index = position
    /// Each pointer must point before all earlier targets, so the loop ends.
    var earliest = position
    var jumpCount = 0
    while true {
      guard index < bytes.count else { throw DNSError() }
      let length = bytes[index]
      switch length {
      case 0:
        if jumpCount == 0 { position = index + 1 }
        return DomainName(wire: wire + [0])
      case 1...63:
        let end = index + 1 + Int(length)
        guard end <= bytes.count else { throw DNSError() }
        guard wire.count + end - index < DomainName.byteCountMax else { throw DNSError() }
        for place in index..<end { wire.append(bytes[place]) }
        index = end
      case 0xC0...0xFF:
        guard index + 1 < bytes.count else { throw DNSError() }
        let target = Int(length & 0x3F) << 8 | Int(bytes[index + 1])
        guard target < earliest, jumpCount < Self.jumpsMax else { throw DNSError() }
        if jumpCount == 0 { position = index + 2 }
        jumpCount += 1
        earliest = target
        index = target
      default: throw DNSError()
      }
    }
  }

  /// Returns the next record; nil if its type or class is not supported.
  mutating func record() throws(DNSError) -> DNSMessage.Record? {
    let name = try name()
    let type = try number16()
    let isInternet = try number16() & classMask == internetClass
    try skip(4)  // Time to live: nothing is cached.
    let count = Int(try number16())
    guard bytes.count - position >= count else { throw DNSError() }
    let end = position + count
    let content = isInternet ? try content(of: type, end: end) : nil
    if content == nil { position = end }
    guard position == end else { throw DNSError() }
    return content.map { DNSMessage.Record(name: name, content: $0) }
  }

  private mutating func content(
    of type: UInt16, end: Int
  ) throws(DNSError) -> DNSMessage.Content? {
    switch type {
    case DNSType.pointer: return .instance(try name())
    case DNSType.service:
      try skip(4)  // Priority and weight: there is only one host.
      let port = try number16()
      return .host(try name(), port: port)
    case DNSType.text: return .attributes(try strings(end: end))
    case DNSType.address where end - position == 4,
      DNSType.longAddress where end - position == 16:
      defer { position = end }
      return .address([UInt8](bytes.extracting(position..<end)))
    case DNSType.address, DNSType.longAddress: throw DNSError()
    default: return nil
    }
  }

  private mutating func strings(end: Int) throws(DNSError) -> [Text] {
    var strings: [Text] = []
    while position < end {
      let start = position + 1
      position = start + Int(bytes[position])
      guard position <= end else { throw DNSError() }
      if position > start { strings.append(Text(bytes.extracting(start..<position))) }
    }
    return strings
  }
}

/// DNS name: labels of 1 to 63 bytes. The case of ASCII letters is ignored in comparisons (RFC
/// 6762, 16).
struct DomainName: Hashable, Sendable {
  /// Maximum length in bytes, with the lengths of the labels and the empty label at the end (RFC
  /// 1035, 3.1).
  static let byteCountMax = 255

  /// Bytes of the name in a message without compression.
  let wire: [UInt8]
  private let folded: [UInt8]

  init(wire: [UInt8]) {
    self.wire = wire
    folded = wire.map { $0.asciiLowercased }  // Lengths are below the letters.
  }

  /// Creates a name from labels such as `["local"]`, of 1 to 63 bytes each.
  init(_ labels: [StaticString]) {
    var wire: [UInt8] = []
    for label in labels {
      wire.append(UInt8(label.utf8CodeUnitCount))
      wire += [UInt8](label)
    }
    self.init(wire: wire + [0])
  }

  var firstLabel: Text {
    let length = Int(wire[0])
    return Text(wire.span.extracting(1..<1 + length))
  }

  /// Name without its first label; nil for the root.
  var parent: DomainName? {
    guard wire[0] > 0 else { return nil }
    return DomainName(wire: [UInt8](wire[(1 + Int(wire[0]))...]))
  }

  static func == (left: DomainName, right: DomainName) -> Bool {
    left.folded.span.elementsEqual(right.folded.span)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
