public import Bytes
public import HomeAssistant

/// Delays and problems of a registration; see `Login`.
public enum Enrollment {
  public static let firstRetryDelay: Duration = .seconds(5)
  public static let longestRetryDelay: Duration = .seconds(120)
  /// Maximum interval for reading a file without a usable token again.
  public static let tokenCheckDelay: Duration = .seconds(60)
  /// Minimum interval of reading the file, for a line that often starts cycles.
  public static let shortestTokenCheckDelay: Duration = .seconds(1)

  /// Delay if Home Assistant registers without a key, or rejects the request. Each attempt may add
  /// a device there.
  public static let refusalDelay: Duration = .seconds(3600)
  /// Delays after the address was refused, possibly by a network or a proxy: they grow from the
  /// first to the longest, with a few attempts a day without an end.
  public static let firstRefusalDelay: Duration = .seconds(60)
  public static let longestRefusalDelay: Duration = .seconds(8 * 3600)

  /// Reason why there is no token.
  public enum TokenFlaw: Error, Equatable {
    case noFileNamed
    case unreadable(errno: Int32)
    case empty
    case tooLarge
    /// The file contains a character that no token has, such as a space or a line end.
    case notAToken
    /// The file begins with U+FEFF, which an editor inserted.
    case hasByteOrderMark
    /// The credential of the pairing was rejected; it is not sent again.
    case credentialRejected
    /// The token must not be sent from the present network: see `SecretRule`.
    case withheld
    /// The credential of the pairing brings no access token at present.
    case notRenewed(AccessTokens.Problem)
  }

  public enum Problem: Equatable, Sendable {
    /// There is no usable token.
    case noToken(TokenFlaw)
    /// Home Assistant, or a server in its place, rejected the token; `fingerprint` must be stored.
    case tokenRejected(fingerprint: [UInt8])
    /// The connection failed. Indirect: the other problems are small, and copies include this one.
    indirect case noConnection(InlineText)
    case server(ServerRefusal)
    case requestRejected
    case withoutEncryption
  }
}

extension Enrollment.Problem {
  /// Whether the problem does not end soon without an action.
  public var isLasting: Bool {
    switch self {
    case .noConnection: false
    case .server(let refusal): refusal.isLasting
    case .noToken, .tokenRejected, .withoutEncryption, .requestRejected: true
    }
  }
}
