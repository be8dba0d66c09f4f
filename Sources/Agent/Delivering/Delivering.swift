import Bytes
import HomeAssistant
import LinuxIO

/// Makes the parts that bring readings to Home Assistant, as the configuration wants them.
struct Delivering {
  let configuration: Configuration
  let state: StateDirectory
  let registration: Registration?
  let loop: EventLoop
  let reporter: Reporter

  func courier(now: Instant) throws(Errno) -> Courier {
    let keeper = Keeper(state, reporter)
    guard
      let courier = Courier(
        settings: configuration.homeAssistant, identity: identity, state: state,
        registration: registration, keeper: keeper, line: try line(keeper), loop: loop,
        reporter: reporter, now: now)
    else { throw .outOfMemory }
    return courier
  }

  /// What Home Assistant is told about this board.
  private var identity: RegistrationRequest {
    var identity = DeviceIdentity(host: configuration.host).registrationRequest(
      name: configuration.deviceName)
    identity.push = PushRoutes(
      isWebSocketWanted: configuration.notifications.isWebSocketWanted, target: pushTarget)
    return identity
  }

  /// Without its token a server is not named: whoever guesses the address could send to it.
  private var pushTarget: PushTarget? {
    guard let push = configuration.notifications.push else { return nil }
    switch readToken(push.tokenFile) {
    case .success(let token): return PushTarget(url: Text(push.url), token: Text(token))
    case .failure(let flaw):
      reporter.withoutPushToken(flaw)
      return nil
    }
  }

  private func line(_ keeper: Keeper) throws(Errno) -> WebSocketLine? {
    let settings = configuration.homeAssistant
    let isChannelWanted = configuration.notifications.isWebSocketWanted
    guard isChannelWanted || settings.transport == .webSocket else { return nil }
    guard let credential else {
      reporter.withoutCredential()
      return nil
    }
    guard
      let line = WebSocketLine(
        settings: settings, isChannelWanted: isChannelWanted, credential: credential,
        rejected: state.readRejectedTokens(), keeper: keeper, loop: loop, reporter: reporter)
    else { throw .outOfMemory }
    return line
  }

  /// That of the configured file, else what pairing kept.
  private var credential: Credential? {
    guard let file = configuration.homeAssistant.tokenFile else { return state.credential() }
    guard case .success(let token) = readToken(file) else { return nil }
    return Credential(accessToken: token)
  }
}
