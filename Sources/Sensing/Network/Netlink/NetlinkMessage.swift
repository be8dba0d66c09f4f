import Bytes

/// Why bytes are not what netlink promises.
public enum NetlinkError: Error, Equatable, Sendable {
  /// The bytes end inside a header.
  case truncated
  /// A length that is shorter than its own header, or longer than what there is.
  case badLength
}

extension NetlinkError {
  /// What it was, for people.
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

  /// The next message, or nil at the end.
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

/// One message.
///
///     offset size field
///          0    4 length, of the header and what follows
///          4    2 type
///          6    2 flags
///          8    4 sequence: of an answer, the one of its question
///         12    4 port: of an answer, who asked
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

  /// The attributes after a header of the family's own, which has so many bytes.
  @_lifetime(copy self)
  func attributes(after headerByteCount: Int) throws(NetlinkError) -> NetlinkAttributes {
    guard payload.count >= headerByteCount else { throw .truncated }
    let start = min(aligned(headerByteCount), payload.count)
    return NetlinkAttributes(payload.extracting(start..<payload.count))
  }

  /// The error number of an error message, or of the end of a list; 0 where it went well.
  func errorNumber() throws(NetlinkError) -> Int32 {
    guard payload.count >= 4 else {
      // The end of a list need not say that it is a good one.
      if type == Netlink.MessageType.done { return 0 }
      throw .truncated
    }
    return 0 &- payload.nativeInteger(Int32.self, at: 0)
  }
}

/// Attributes, one after the other: a length, a type, a value, and zeros up to a multiple of 4.
/// Nested ones are the value of another one, and read the same way.
struct NetlinkAttributes: ~Escapable {
  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// The next attribute, or nil at the end.
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

/// One attribute. A number of another size than it should have is none.
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

  /// The value without the NUL that the kernel's texts end with.
  var text: Span<UInt8> {
    @_lifetime(copy self) get {
      value.extracting(0..<(value.firstIndex(of: 0) ?? value.count))
    }
  }

  /// The value as attributes of its own.
  var nested: NetlinkAttributes {
    @_lifetime(copy self) get { NetlinkAttributes(value) }
  }
}

/// The first multiple of the alignment that is not less.
func aligned(_ byteCount: Int) -> Int {
  (byteCount + Netlink.alignment - 1) / Netlink.alignment * Netlink.alignment
}
