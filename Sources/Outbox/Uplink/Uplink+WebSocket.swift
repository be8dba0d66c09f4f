public import Bytes
public import HomeAssistant

// What happens to the WebSocket, where there is one.

extension Uplink {
  public func webSocketChanged(_ state: ConnectionState, now: Instant) {
    self.now = now
    let isReady = if case .ready = state { true } else { false }
    if isReady, !webhook.isWebSocketOpen { delivery.webSocketOpened(now: now) }
    webhook.webSocketChanged(isOpen: isReady)
    if isReady { registrar.webSocketAccepted() }
    if case .down(.rejected) = state, registrar.mayReplaceToken {
      // A refused access token is replaced once.
      actions.append(.connectWebSocket)
    } else {
      actions.append(.tell(.webSocket(state)))
    }
  }

  /// The network is another one, or there is a sign that Home Assistant is within reach.
  func checkWebSocket() {
    if settings.webSocket != nil { actions.append(.checkWebSocket) }
  }

  /// - Parameters:
  ///   - refused: the token that Home Assistant did not accept, if it was shown one.
  ///   - now: the moment of now.
  public func webSocketWantsToken(refused: [UInt8]?, now: Instant) {
    self.now = now
    registrar.webSocketWantsToken(refused: refused, now: now)
  }

  /// Home Assistant answered what `ask` asked, or did not.
  public func asked(_ result: Result<JSON, RequestError>, now: Instant) {
    self.now = now
    statistics?.answered(result, now: now)
  }
}
