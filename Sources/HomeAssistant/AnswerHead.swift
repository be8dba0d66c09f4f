import Bytes

/// The head of an answer over HTTP: its status, and what shows who wrote it.
///
/// Home Assistant's web server refuses in one line of `text/plain` that repeats the status, such as
/// `401: Unauthorized`. Since 2026.4 a `WWW-Authenticate: Bearer …` goes with that one.
public struct AnswerHead: Equatable, Sendable {
  /// What the body is written in, as far as it shows who wrote it.
  public enum Kind: Equatable, Sendable {
    /// The head does not say.
    case unknown
    /// `text/plain`.
    case text
    /// Something else, such as a page.
    case other
  }

  /// Of HTTP.
  public let status: Int
  /// What the body is written in.
  public private(set) var kind = Kind.unknown
  /// Whether the server asks for a login that Home Assistant does not know, such as `Basic`.
  public private(set) var wantsForeignLogin = false
  /// Where the answer sends the client; empty where it does not.
  public var location: [UInt8] = []

  /// An answer whose head says nothing else.
  public init(status: Int) { self.status = status }

  /// Takes the value of `Content-Type` in.
  public mutating func setContentType(_ value: Span<UInt8>) {
    let end = value.firstIndex(of: UInt8(ascii: ";")) ?? value.count
    let type = value.extracting(0..<end).trimmed()
    kind = type.elementsEqualIgnoringCase("text/plain") ? .text : .other
  }

  /// Takes the value of a `WWW-Authenticate` in.
  public mutating func setChallenge(_ value: Span<UInt8>) {
    let end = value.firstIndex(of: UInt8(ascii: " ")) ?? value.count
    if !value.extracting(0..<end).elementsEqualIgnoringCase("bearer") { wantsForeignLogin = true }
  }

  /// Whether Home Assistant's own web server refused.
  func isOwnRefusal(_ body: Span<UInt8>) -> Bool {
    guard !wantsForeignLogin, kind != .other, Self.lineByteCounts.contains(body.count),
      body[3] == UInt8(ascii: ":"), body[4] == UInt8(ascii: " ")
    else { return false }
    var status = 0
    for index in 0..<3 {
      guard body[index].isASCIIDigit else { return false }
      status = status * 10 + Int(body[index] - UInt8(ascii: "0"))
    }
    for index in 5..<body.count where !(0x20..<0x7F).contains(body[index]) { return false }
    return status == self.status
  }

  /// Of a status, a colon, a space and a phrase.
  private static let lineByteCounts = 8...64

  /// Whether Home Assistant says that the token which went with the request is not valid. A proxy
  /// that wants a login of its own says so in other words.
  public func rejectsToken(_ body: Span<UInt8>) -> Bool { status == 401 && isOwnRefusal(body) }
}
