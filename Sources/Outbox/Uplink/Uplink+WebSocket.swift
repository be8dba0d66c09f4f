public import Bytes
public import HomeAssistant

// Events of the WebSocket.

extension Uplink {
  public func webSocketChanged(_ state: ConnectionState, now: Instant) {
    self.now = now
    let isReady = if case .ready = state { true } else { false }
    if isReady, !webhook.isWebSocketOpen { delivery.webSocketOpened(now: now) }
    webhook.webSocketChanged(isOpen: isReady)
    if isReady { login.webSocketAccepted() }
    if case .down(.rejected) = state, login.mayReplaceToken {
      // A rejected access token is replaced once.
      actions.append(.connectWebSocket)
    } else {
      actions.append(.tell(.webSocket(state)))
    }
  }

  /// Checks the WebSocket, because the network changed or Home Assistant seems to be reachable.
  func checkWebSocket() {
    if settings.webSocket != nil { actions.append(.checkWebSocket) }
  }

  /// - Parameters:
  ///   - refused: token that Home Assistant rejected, or nil.
  ///   - now: present time.
  public func webSocketWantsToken(refused: [UInt8]?, now: Instant) {
    self.now = now
    login.webSocketWantsToken(refused: refused, now: now)
  }

  /// Handles the answer to `ask`, or its failure.
  public func asked(_ result: Result<JSON, RequestError>, now: Instant) {
    self.now = now
    statistics?.answered(result, now: now)
  }
}
