import Bytes

/// Why a datagram is no message of the DNS.
public enum DNSError: Error, Equatable {
  /// It ends before it has said all.
  case truncated
  /// A label of a kind that there is not, a name that is too long, or a compression that does not
  /// lead backwards.
  case badName
  /// A record that is longer or shorter than what it says.
  case badRecord
  /// It is a query.
  case noResponse
}

/// What a response to a query of multicast DNS says (RFC 1035, 4.1; RFC 6762, 18).
///
/// Reading it is a function of its bytes alone. Each machine of the network can send one: every
/// length is checked, and a message with one fault is not read at all.
public struct DNSMessage: Sendable {
  /// The largest datagram of multicast DNS, headers of IP and UDP included (RFC 6762, 17).
  public static let byteCountMax = 9000
  /// Records that are kept; the answer of one Home Assistant has 4 and an address more or two.
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

  /// Those of answers and additional ones alike, without those of other types.
  let records: [Record]

  /// Reads a datagram as it came from the network.
  ///
  /// - Throws: `DNSError`, and nothing of the datagram is used.
  public init(parsing bytes: Span<UInt8>) throws(DNSError) {
    var reader = DNSReader(bytes)
    _ = try reader.number16()
    let flags = try reader.number16()
    guard flags & DNSMessage.responseFlag != 0 else { throw .noResponse }
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

/// What is asked for (RFC 1035, 3.2.2; RFC 2782; RFC 3596).
enum DNSType {
  static let address: UInt16 = 1
  static let pointer: UInt16 = 12
  static let text: UInt16 = 16
  static let longAddress: UInt16 = 28
  static let service: UInt16 = 33
}

/// The class of all that is asked; in an answer the highest bit tells caches to forget.
private let internetClass: UInt16 = 1
private let classMask: UInt16 = 0x7FFF

/// Writes a query (RFC 6762, 5.1 and 18: all other fields of the header are zero).
struct DNSQuery: ~Copyable {
  /// What goes through every network in one piece.
  static let byteCountMax = 1200
  private static let headerByteCount = 12

  private var buffer = ByteBuffer(capacity: byteCountMax)
  private var questionCount: UInt8 = 0

  init() { buffer.appendZeros(Self.headerByteCount) }

  /// Asks for records of a type; a question that has no room is left out.
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

/// Takes a message apart from its beginning on.
private struct DNSReader: ~Escapable {
  /// Compressions that one name may have after one another; writers use one.
  private static let jumpsMax = 16

  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  mutating func skip(_ count: Int) throws(DNSError) {
    guard bytes.count - position >= count else { throw .truncated }
    position += count
  }

  mutating func number16() throws(DNSError) -> UInt16 {
    try skip(2)
    return UInt16(bytes[position - 2]) << 8 | UInt16(bytes[position - 1])
  }

  mutating func name() throws(DNSError) -> DomainName {
    var wire: [UInt8] = []
    var index = position
    /// Each compression leads before all that the name has led to so far: so it ends.
    var earliest = position
    var jumpCount = 0
    while true {
      guard index < bytes.count else { throw .truncated }
      let length = bytes[index]
      switch length {
      case 0:
        if jumpCount == 0 { position = index + 1 }
        return DomainName(wire: wire + [0])
      case 1...63:
        let end = index + 1 + Int(length)
        guard end <= bytes.count else { throw .truncated }
        guard wire.count + end - index < DomainName.byteCountMax else { throw .badName }
        for place in index..<end { wire.append(bytes[place]) }
        index = end
      case 0xC0...0xFF:
        guard index + 1 < bytes.count else { throw .truncated }
        let target = Int(length & 0x3F) << 8 | Int(bytes[index + 1])
        guard target < earliest, jumpCount < Self.jumpsMax else { throw .badName }
        if jumpCount == 0 { position = index + 2 }
        jumpCount += 1
        earliest = target
        index = target
      default: throw .badName
      }
    }
  }

  /// The next record; nil for one of a type or class that is not asked for.
  mutating func record() throws(DNSError) -> DNSMessage.Record? {
    let name = try name()
    let type = try number16()
    let isInternet = try number16() & classMask == internetClass
    try skip(4)  // How long it may be kept: nothing here is.
    let count = Int(try number16())
    guard bytes.count - position >= count else { throw .truncated }
    let end = position + count
    let content = isInternet ? try content(of: type, end: end) : nil
    if content == nil { position = end }
    guard position == end else { throw .badRecord }
    return content.map { DNSMessage.Record(name: name, content: $0) }
  }

  private mutating func content(
    of type: UInt16, end: Int
  ) throws(DNSError) -> DNSMessage.Content? {
    switch type {
    case DNSType.pointer: return .instance(try name())
    case DNSType.service:
      try skip(4)  // Priority and weight: there is one host.
      let port = try number16()
      return .host(try name(), port: port)
    case DNSType.text: return .attributes(try strings(end: end))
    case DNSType.address where end - position == 4,
      DNSType.longAddress where end - position == 16:
      defer { position = end }
      return .address([UInt8](bytes.extracting(position..<end)))
    case DNSType.address, DNSType.longAddress: throw .badRecord
    default: return nil
    }
  }

  private mutating func strings(end: Int) throws(DNSError) -> [Text] {
    var strings: [Text] = []
    while position < end {
      let start = position + 1
      position = start + Int(bytes[position])
      guard position <= end else { throw .badRecord }
      if position > start { strings.append(Text(bytes.extracting(start..<position))) }
    }
    return strings
  }
}
