import Bytes

/// Access token with its expiry.
public struct AccessToken: Equatable, Sendable {
  /// Token of the `Bearer` header; visible ASCII.
  public let bytes: [UInt8]
  let expiresAt: Instant

  init(bytes: [UInt8], lifetime: Duration, now: Instant) {
    self.bytes = bytes
    expiresAt = now + lifetime
  }
}

/// Answer of `/auth/token`.
enum TokenAnswer {
  case granted(AccessToken, refreshToken: [UInt8]?)
  /// Home Assistant rejects the grant. Each such answer counts toward a ban.
  case rejected(Text)
  /// Home Assistant accepts the grant, but not from here: the user may log in only at home.
  case denied(Text)
  /// An answer in other words than those of `/auth/token`.
  case server(ServerRefusal)

  /// Maximum lifetime of an access token; Home Assistant's last 30 minutes.
  static let lifetimeMax: Duration = .seconds(24 * 3600)

  static func read(_ head: AnswerHead, body: Span<UInt8>, now: Instant) -> TokenAnswer {
    let json = try? JSON(parsing: body)
    switch (head.status, json?["error"]) {
    case (200, _): if let answer = granted(json, now: now) { return answer }
    case (400, .text("invalid_grant")?), (400, .text("invalid_request")?):
      return .rejected(words(json))
    case (403, .text("access_denied")?): return .denied(words(json))
    default: break
    }
    return .server(ServerRefusal(head, body))
  }

  private static func words(_ json: JSON?) -> Text {
    let code = json?.get("error", orOnFailure: "" as Text) ?? ""
    return json?.get("error_description", orOnFailure: code) ?? code
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
