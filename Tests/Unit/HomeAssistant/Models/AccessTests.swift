import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct AccessTests {
  @Test func notificationsComeThroughTheChannelOfTheDevice() throws {
    let plain: TypedSubscription<PushNotification> = .pushNotifications(
      webhookID: "w", isConfirmed: false)
    #expect(plain.command == "mobile_app/push_notification_channel")
    #expect(plain.payload == ["webhook_id": "w"])
    #expect(plain.isResubscribed)
    let confirmed: TypedSubscription<PushNotification> = .pushNotifications(
      webhookID: "w", isConfirmed: true)
    #expect(confirmed.payload == ["webhook_id": "w", "support_confirm": true])
    let notification: PushNotification = try decode(
      #"{"message":"hello","title":"T","data":{"a":[1]},"hass_confirm_id":"c"}"#)
    #expect(notification.message == "hello")
    #expect(notification.title == "T")
    #expect(notification.data == ["a": [1]])
    #expect(notification.confirmID == "c")
    let bare: PushNotification = try decode(#"{"message":"hello"}"#)
    #expect(bare.data == [:])
    #expect(bare.confirmID == nil)
  }

  @Test func aConfirmationIsForThisConnectionOnly() {
    let request: TypedRequest<NoContent> = .confirmPush(webhookID: "w", confirmID: "c")
    #expect(request.command == "mobile_app/push_notification_confirm")
    #expect(request.payload == ["webhook_id": "w", "confirm_id": "c"])
    #expect(request.retry == .never)
  }

  @Test func aLongLivedTokenIsMadeOnce() throws {
    let request: TypedRequest<Text> = .longLivedToken(
      clientName: "Boat", lifespanDays: 3650, clientIcon: "mdi:ferry")
    #expect(request.command == "auth/long_lived_access_token")
    #expect(
      request.payload == ["client_name": "Boat", "lifespan": 3650, "client_icon": "mdi:ferry"])
    #expect(request.retry == .never)
  }

  @Test func aPathIsSignedForAWhile() throws {
    let plain: TypedRequest<SignedPath> = .signPath("/api/states")
    #expect(plain.command == "auth/sign_path")
    #expect(plain.payload == ["path": "/api/states"])
    let short: TypedRequest<SignedPath> = .signPath("/api/states", lifetime: .seconds(30))
    #expect(short.payload == ["path": "/api/states", "expires": 30])
    let signed: SignedPath = try decode(#"{"path":"/api/states?authSig=x"}"#)
    #expect(signed.path == "/api/states?authSig=x")
  }
}

@Suite struct UserTests {
  @Test func aUserIsDecoded() throws {
    let user: User = try decode(
      """
      {"id":"76ce","name":"Skipper","is_owner":true,"is_admin":true,
      "credentials":[{"auth_provider_type":"homeassistant","auth_provider_id":null},
      {"auth_provider_type":"trusted","auth_provider_id":"t"}],
      "mfa_modules":[{"id":"totp","name":"Authenticator app","enabled":true}],"since":2026}
      """)
    #expect(user.id == "76ce")
    #expect(user.name == "Skipper")
    #expect(user.isOwner)
    #expect(user.isAdmin)
    #expect(user.credentials.map(\.providerType) == ["homeassistant", "trusted"])
    #expect(user.credentials.map(\.providerID) == [nil, "t"])
    #expect(user.multiFactorModules.map(\.id) == ["totp"])
    #expect(user.multiFactorModules.map(\.name) == ["Authenticator app"])
    #expect(user.multiFactorModules.map(\.isEnabled) == [true])
  }

  @Test func aUserNeedsNoMoreThanAnID() throws {
    let user: User = try decode(#"{"id":"76ce"}"#)
    #expect(user.name == nil)
    #expect(!user.isOwner)
    #expect(!user.isAdmin)
    #expect(user.credentials.isEmpty)
    #expect(user.multiFactorModules.isEmpty)
    #expect(throws: JSONDecodingError.missingKey("id")) { try decode("{}", as: User.self) }
  }

  @Test func anAdministratorWhoIsOneIsNoAdministrator() {
    #expect(
      throws: JSONDecodingError.wrongKind(key: "is_admin", expected: .boolean, found: .number)
    ) {
      try decode(#"{"id":"76ce","is_admin":1}"#, as: User.self)
    }
  }
}
