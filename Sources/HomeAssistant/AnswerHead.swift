public import Bytes

/// Head of an HTTP answer: its status, and the fields that show who wrote it.
///
/// Home Assistant's web server refuses with one line of `text/plain` that repeats the status, such
/// as `401: Unauthorized`. Since 2026.4 it adds `WWW-Authenticate: Bearer …` to that one.
public struct AnswerHead: Equatable, Sendable {
  /// Content type of the body, as far as it shows who wrote it.
  public enum Kind: Equatable, Sendable {
    /// No `Content-Type`.
    case unknown
    /// `text/plain`.
    case text
    /// Any other type, such as a page.
    case other
  }

  /// HTTP status.
  public let status: Int
  /// Content type of the body.
  public private(set) var kind = Kind.unknown
  /// Whether the server asks for a login that Home Assistant does not know, such as `Basic`.
  public private(set) var wantsForeignLogin = false
  /// Target of a redirect; empty if there is none.
  public var location: [UInt8] = []
  /// Time of the answer by the server's clock; nil if it is unknown or not needed.
  public var time: WallTime?

  /// Creates a head that has only a status.
  public init(status: Int) { self.status = status }

  /// Reads the value of `Content-Type`.
  public mutating func setContentType(_ value: Span<UInt8>) {
    let end = value.firstIndex(of: UInt8(ascii: ";")) ?? value.count
    let type = value.extracting(0..<end).trimmed()
    kind = type.elementsEqualIgnoringCase("text/plain") ? .text : .other
  }

  /// Reads the value of a `WWW-Authenticate`.
  public mutating func setChallenge(_ value: Span<UInt8>) {
    let end = value.firstIndex(of: UInt8(ascii: " ")) ?? value.count
    if !value.extracting(0..<end).elementsEqualIgnoringCase("bearer") { wantsForeignLogin = true }
  }

  /// Whether Home Assistant's own web server wrote the refusal.
  func isOwnRefusal(_ body: Span<UInt8>) -> Bool {
    guard !wantsForeignLogin, kind != .other, Self.lineByteCounts.contains(body.count),
      body[3] == UInt8(ascii: ":"), body[4] == UInt8(ascii: " ")
    else { return false }
    for index in 5..<body.count where !(0x20..<0x7F).contains(body[index]) { return false }
    return body.extracting(0..<3).decimalValue == Int64(status)
  }

  /// Length of a refusal: a status, a colon, a space and a phrase.
  private static let lineByteCounts = 8...64

  /// Whether Home Assistant rejects the token of the request. A proxy that wants a login of its own
  /// rejects it in other words.
  public func rejectsToken(_ body: Span<UInt8>) -> Bool { status == 401 && isOwnRefusal(body) }
}
