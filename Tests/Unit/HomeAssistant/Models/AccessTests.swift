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
