public import Bytes

/// Credential of a Home Assistant user, with all rights of this user.
///
/// It has no description on purpose, so that no log can hold it.
public enum Credential: Equatable, Sendable {
  /// A long-lived access token, which a person created on the profile page.
  case accessToken([UInt8])
  /// A refresh token from a login, and the client it was issued to: only both together get access
  /// tokens. It ends 90 days after its last use, or when it is revoked.
  case refreshToken([UInt8], clientID: [UInt8])

  /// Maximum length of a token in bytes; real ones have less than 300.
  public static let tokenByteCountMax = 8 * 1024
  static let clientIDByteCountMax = 1024

  /// Checks a long-lived token that a person pasted; fails if it holds anything but visible ASCII,
  /// such as a space, since it becomes a header's value. With quotes, brackets or a name and `=`
  /// around it Home Assistant would count a failed login.
  public init?(accessToken text: [UInt8]) {
    guard Self.isToken(text), !text.contains(where: { $0.isAroundToken }) else { return nil }
    self = .accessToken(text)
  }

  init?(refreshToken token: [UInt8], clientID: [UInt8]) {
    guard Self.isToken(token), (1...Self.clientIDByteCountMax).contains(clientID.count) else {
      return nil
    }
    self = .refreshToken(token, clientID: clientID)
  }

  static func isToken(_ text: [UInt8]) -> Bool {
    (1...tokenByteCountMax).contains(text.count) && text.span.isVisibleASCII
  }

  /// Fingerprint for `RejectedTokens`.
  public var fingerprint: [UInt8] {
    switch self {
    case .accessToken(let token), .refreshToken(let token, _):
      RejectedTokens.fingerprint(of: token)
    }
  }
}

/// File of a credential:
///
///     member     type    content
///     version    number  1
///     kind       string  access_token or refresh_token
///     token      string  visible ASCII
///     client_id  string  client of a refresh token; else empty
///     checksum   number  CRC-32C of the bytes of kind, token and client_id
extension Credential {
  /// Maximum size of the file in bytes: the longest texts, with each byte escaped.
  public static let fileByteCountMax = 2 * (tokenByteCountMax + clientIDByteCountMax) + 256

  private static var kept: KeptTexts {
    KeptTexts(version: 1, keys: ["kind", "token", "client_id"])
  }

  /// Writes the file in place of the buffer's content. The buffer holds at least
  /// `fileByteCountMax`.
  public func writeFile(into buffer: inout ByteBuffer) {
    switch self {
    case .accessToken(let token):
      Self.kept.write([[UInt8]("access_token"), token, []], into: &buffer)
    case .refreshToken(let token, let clientID):
      Self.kept.write([[UInt8]("refresh_token"), token, clientID], into: &buffer)
    }
  }

  /// Reads a file of `writeFile`.
  ///
  /// - Throws: `KeptFileError` if the file is of another kind or damaged.
  public init(file: Span<UInt8>) throws(KeptFileError) {
    let texts = try Self.kept.read(file)
    let credential: Credential?
    switch Text(texts[0]) {
    case "access_token": credential = Credential(accessToken: texts[1])
    case "refresh_token": credential = Credential(refreshToken: texts[1], clientID: texts[2])
    default: credential = nil
    }
    guard let credential else { throw .damaged }
    self = credential
  }
}

extension UInt8 {
  /// Whether people paste it around a token: quotes, brackets, or the `=` behind a name.
  fileprivate var isAroundToken: Bool {
    switch self {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "<"),
      UInt8(ascii: "="), UInt8(ascii: ">"):
      true
    default: false
    }
  }
}
