extension Home {
  /// `POST /auth/token`, a form.
  mutating func grant(_ request: Request, now: Moment) throws(Refusal) -> Answer {
    let form = Form.fields(of: request)
    if form["action"] == "revoke" { return revoke(request, now: now) }
    switch form["grant_type"] {
    case "authorization_code": return try redeemCode(form, now: now)
    case "refresh_token": return try refresh(form, now: now)
    default: throw .login(.unsupportedGrant)
    }
  }

  private mutating func redeemCode(
    _ form: [String: String], now: Moment
  ) throws(Refusal) -> Answer {
    guard let clientID = form["client_id"], Self.isClientID(clientID) else {
      throw .login(.invalidClientOfGrant)
    }
    guard let code = form["code"], grants.redeem(code, by: clientID, now: now) else {
      throw .login(.invalidCode)
    }
    let refreshToken = grants.makeRefreshToken(for: clientID, now: now)
    var answer = try accessToken(from: refreshToken, now: now)
    answer["refresh_token"] = .string(refreshToken)
    // In the order of the real answer.
    let lifetime = answer["expires_in"]
    answer["expires_in"] = nil
    answer["expires_in"] = lifetime
    answer["ha_auth_provider"] = "homeassistant"
    note(.tokenGranted(isRefresh: false), at: now)
    return .unstored(.object(answer))
  }

  private mutating func refresh(_ form: [String: String], now: Moment) throws(Refusal) -> Answer {
    let clientID = form["client_id"]
    if let clientID, !Self.isClientID(clientID) { throw .login(.invalidClientOfGrant) }
    guard let refreshToken = form["refresh_token"] else { throw .login(.incompleteRefresh) }
    guard let owner = grants.client(ofRefreshToken: refreshToken, now: now) else {
      throw .login(.invalidGrant)
    }
    guard owner == clientID else { throw .login(.otherClient) }
    let answer = try accessToken(from: refreshToken, now: now)
    note(.tokenGranted(isRefresh: true), at: now)
    return .unstored(.object(answer))
  }

  private mutating func accessToken(
    from refreshToken: String, now: Moment
  ) throws(Refusal) -> JSONObject {
    let lifetime = household.accessTokenLifetime
    guard let token = grants.makeAccessToken(from: refreshToken, lifetime: lifetime, now: now)
    else { throw .login(.invalidGrant) }
    return [
      "access_token": .string(token), "token_type": "Bearer",
      "expires_in": .integer(Int128(lifetime.components.seconds)),
    ]
  }

  /// `POST /auth/revoke`, a form. It is answered the same whatever became of it.
  mutating func revoke(_ request: Request, now: Moment) -> Answer {
    if let token = Form.fields(of: request)["token"],
      let credential = grants.revoke(token, now: now)
    {
      note(.tokenRevoked, at: now)
      expel(credential, now: now)
    }
    return .nothing(200)
  }

  /// The credential a request shows, if it opens the door.
  func credential(of request: Request, now: Moment) throws(Refusal) -> String {
    guard let header = request.header("Authorization"), header.hasPrefix("Bearer "),
      let credential = grants.credential(
        ofAccessToken: String(header.dropFirst("Bearer ".count)), now: now)
    else { throw .unauthorized }
    return credential
  }
}
