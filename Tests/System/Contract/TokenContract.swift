import Testing

// MARK: - The code

extension Contract.SigningIn {
  @Test func aCodeIsExchangedForTokens() async throws {
    let answer = try await Tokens.exchange(try await User.owner().code())
    #expect(answer.status == 200)
    let tokens = try #require(answer.json)
    #expect(tokens["access_token"].text?.isEmpty == false)
    #expect(tokens["refresh_token"].text?.isEmpty == false)
    #expect(tokens["token_type"] == "Bearer")
    #expect(tokens["expires_in"] == 1800)
    #expect(tokens["ha_auth_provider"] == "homeassistant")
  }

  @Test func aCodeCountsOnce() async throws {
    let code = try await User.owner().code()
    _ = try await Tokens.exchanged(for: code)
    let answer = try await Tokens.exchange(code)
    #expect(answer.isRefusal("invalid_request"), "\(answer)")
  }

  @Test func aCodeIsOnlyForTheClientThatAskedForIt() async throws {
    let code = try await User.owner().code()
    let answer = try await Tokens.exchange(code, client: "http://127.0.0.1:1/")
    #expect(answer.isRefusal("invalid_request"), "\(answer)")
  }

  @Test func theTokensAreAskedForWithAFormAndNotWithJSON() async throws {
    let server = try Server.required()
    let code = try await User.owner().code()
    let body: JSON = [
      "grant_type": "authorization_code", "code": .string(code),
      "client_id": .string(server.client),
    ]
    let answer = try await server.post("/auth/token", body.encoded())
    #expect(answer.isRefusal("unsupported_grant_type"), "\(answer)")
  }
}

// MARK: - Refreshing

extension Contract.SigningIn {
  @Test func aRefreshTokenGivesANewAccessTokenAndStays() async throws {
    let server = try Server.required()
    let tokens = try await User.owner().signedIn()
    for _ in 1...2 {
      let answer = try await tokens.refreshed()
      #expect(answer.status == 200)
      #expect(answer.json?.keys == ["access_token", "expires_in", "token_type"])
      let access = try #require(answer.json?["access_token"].text)
      #expect(try await server.request("GET", "/api/config", token: access).status == 200)
    }
  }

  @Test func aRefreshTokenIsOnlyForItsClient() async throws {
    let tokens = try await User.owner().signedIn()
    let answer = try await tokens.refreshed(client: "http://127.0.0.1:1/")
    #expect(answer.isRefusal("invalid_request"), "\(answer)")
  }

  @Test func aRefreshTokenWithoutAClientIsRefused() async throws {
    let server = try Server.required()
    let tokens = try await User.owner().signedIn()
    let answer = try await server.token([
      "grant_type": "refresh_token", "refresh_token": tokens.refresh,
    ])
    #expect(answer.isRefusal("invalid_request"), "\(answer)")
  }

  @Test func anUnknownOrALongLivedTokenRefreshesNothing() async throws {
    for token in ["unknown", try Server.required().token] {
      let answer = try await Tokens(access: "", refresh: token).refreshed()
      #expect(answer.isRefusal("invalid_grant"), "\(answer)")
    }
  }

  @Test func anAccessTokenThatIsNoneIsUnauthorized() async throws {
    let server = try Server.required()
    for token in ["not-a-token", nil] {
      let answer = try await server.request("GET", "/api/config", token: token)
      #expect(answer.status == 401)
      #expect(String(decoding: answer.body, as: UTF8.self) == "401: Unauthorized")
    }
  }
}

// MARK: - Long-lived tokens

extension Contract.SigningIn {
  @Test func aLongLivedTokenIsMadeOnceForAName() async throws {
    let server = try Server.required()
    let tokens = try await User.owner().signedIn()
    let socket = try await WebSocket.opened(token: tokens.access)
    let name = JSON.string(Device.Identity().suffix)
    let request: JSON = ["client_name": name, "lifespan": 3650]
    let token = try await socket.result("auth/long_lived_access_token", request)
    let answer = try await server.request("GET", "/api/config", token: token.text)
    #expect(answer.status == 200)
    #expect(
      try await socket.refusal("auth/long_lived_access_token", request) == "unknown_error")
  }
}

// MARK: - The end

extension Contract.SigningIn {
  @Test func aRevokedTokenIsGoneAtOnce() async throws {
    let server = try Server.required()
    let tokens = try await User.owner().signedIn()
    let answer = try await tokens.revoke()
    #expect(answer.status == 200)
    #expect(answer.body.isEmpty)
    let refreshed = try await tokens.refreshed()
    #expect(refreshed.isRefusal("invalid_grant"), "\(refreshed)")
    #expect(try await server.request("GET", "/api/config", token: tokens.access).status == 401)
  }

  @Test func revokingAnUnknownTokenIsFineToo() async throws {
    let answer = try await Tokens(access: "", refresh: "unknown").revoke()
    #expect(answer.status == 200)
    #expect(answer.body.isEmpty)
  }

  @Test func theWebhookOutlivesTheTokenThatMadeIt() async throws {
    let tokens = try await User.owner().signedIn()
    let device = try await Device.registered(token: tokens.access)
    try await tokens.revoke()
    #expect(
      try await Device.register(Device.Identity().registration, token: tokens.access).status
        == 401)
    #expect(try await device.prove() == Device.proof)
  }

  @Test func aRevokedTokenClosesItsSocketsAtOnceAndNoOthers() async throws {
    let user = try User.owner()
    let tokens = try await user.signedIn()
    let others = try await user.signedIn()
    let sockets = [
      try await WebSocket.opened(token: tokens.access),
      try await WebSocket.opened(token: tokens.access),
    ]
    let other = try await WebSocket.opened(token: others.access)
    try await tokens.revoke()
    for socket in sockets { #expect(try await socket.end() == .closed(1000)) }
    #expect(try await other.ask("ping")["type"] == "pong")
  }
}
