import Bytes

/// An access token, and how long it is good for.
public struct AccessToken: Equatable, Sendable {
  /// As it stands behind `Bearer`; visible ASCII.
  public let bytes: [UInt8]
  let expiresAt: Instant

  /// One that a call has just brought.
  init(bytes: [UInt8], lifetime: Duration, now: Instant) {
    self.bytes = bytes
    expiresAt = now + lifetime
  }
}

/// What came back from `/auth/token`.
enum TokenAnswer {
  case granted(AccessToken, refreshToken: [UInt8]?)
  /// Home Assistant does not accept the grant. Each such answer counts toward a ban.
  case rejected(Text)
  /// An answer without the words of `/auth/token`.
  case server(ServerRefusal)

  /// No access token lives longer; Home Assistant's live for 30 minutes.
  static let lifetimeMax: Duration = .seconds(24 * 3600)

  static func read(status: Int, body: Span<UInt8>, now: Instant) -> TokenAnswer {
    let json = try? JSON(parsing: body)
    switch status {
    case 200: if let answer = granted(json, now: now) { return answer }
    case 400...403:
      if case .text(let code)? = json?["error"] {
        return .rejected(json?.get("error_description", orOnFailure: code) ?? code)
      }
    default: break
    }
    return .server(ServerRefusal(status: status))
  }

  private static func granted(_ json: JSON?, now: Instant) -> TokenAnswer? {
    guard let json, let token = try? json.get("access_token", as: Text.self).bytes,
      Credential.isToken(token), let seconds = try? json.get("expires_in", as: Int64.self),
      seconds > 0
    else { return nil }
    let lifetime = min(.seconds(seconds), lifetimeMax)
    return .granted(
      AccessToken(bytes: token, lifetime: lifetime, now: now),
      refreshToken: try? json.get("refresh_token", as: Text.self).bytes)
  }
}
