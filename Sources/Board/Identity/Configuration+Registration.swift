import Bytes
public import HomeAssistant
public import Outbox

extension Configuration {
  /// What Home Assistant is told about this board. A server for notifications without its token is
  /// not named, and `withoutPushToken` is told why: a stranger who guessed the address could send
  /// to it.
  public func registrationRequest(
    withoutPushToken report: (Enrollment.TokenFlaw) -> Void
  ) -> RegistrationRequest {
    var push = PushRoutes(isWebSocketWanted: notifications.isWebSocketWanted)
    if let settings = notifications.push {
      switch readToken(settings.tokenFile) {
      case .success(let token):
        push.target = PushTarget(url: Text(settings.url), token: Text(token))
      case .failure(let flaw): report(flaw)
      }
    }
    return DeviceIdentity(host: host).registrationRequest(name: deviceName, push: push)
  }
}
