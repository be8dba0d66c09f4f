public import Bytes
public import HomeAssistant
import Sensing

// Answers of servers and of the disk, requests without an answer, and events of the WebSocket.

extension Uplink {
  /// Handles the answer of Home Assistant, or of a server in its place, to the message. An envelope
  /// is opened in place.
  public func messageAnswered(_ head: AnswerHead, _ body: inout ByteBuffer, now: Instant) {
    self.now = now
    guard let message = delivery.underWay?.message, !login.isEnrolling, let registration
    else { return }
    guard message == .key else {
      let answer = registration.readAnswer(head, body: &body)
      delivery.answerReceived(answer, body: body, now: now)
      return
    }
    let result = Webhook.EnableEncryption.read(head, body: body)
    body.wipe()
    if case .enabled(let key) = result {
      change {
        $0.protection = .sealed(key)
        return true
      }
    }
    delivery.keyAnswered(result, now: now)
  }

  /// Handles a message without an answer.
  public func messageFailed(_ reason: InlineText, now: Instant) {
    self.now = now
    delivery.connectionFailed(reason, now: now)
  }

  /// Handles a WebSocket that cannot send the message: it is sent over HTTP.
  public func postRefused() {
    delivery.postRefused()
    countMessage(-1)
  }

  /// Handles the server's answer to the registration or the renewal of a token.
  public func loginAnswered(_ head: AnswerHead, _ body: borrowing ByteBuffer, now: Instant) {
    self.now = now
    login.answered(head, body, now: now)
  }

  public func loginFailed(_ reason: InlineText, now: Instant) {
    self.now = now
    login.connectionFailed(reason, now: now)
  }

  /// Handles the push relay's answer. Notifications are decrypted in place.
  public func fetchAnswered(_ head: AnswerHead, _ body: inout ByteBuffer, now: Instant) {
    self.now = now
    push?.answered(head, &body, now: now)
  }

  public func fetchFailed(_ reason: InlineText, now: Instant) {
    self.now = now
    push?.failed(.noConnection(reason), now: now)
  }

  /// Handles a call that was not made, because the check of the state directory failed.
  public func callNotMade(_ channel: Channel, words: [UInt8]) {
    keeper.tell(words)
    switch channel {
    case .login: login.callNotMade(now: now)
    case .webhook: delivery.keyPostponed(now: now)
    case .push: preconditionFailure("the answer of a relay needs no place on the disk")
    }
  }

  // MARK: WebSocket

  public func webSocketChanged(_ state: ConnectionState, now: Instant) {
    self.now = now
    let isReady = if case .ready = state { true } else { false }
    delivery.webSocketChanged(isOpen: isReady, now: now)
    if !isReady { push?.channelChanged(isOpen: false, now: now) }
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

  /// Handles Home Assistant's answer to the request for the channel of notifications.
  public func pushChannelChanged(_ change: PushChannel.Change, now: Instant) {
    self.now = now
    push?.channelChanged(isOpen: change == .opened, now: now)
  }

  /// Handles a WebSocket that needs a token, after Home Assistant rejected `refused`.
  public func webSocketWantsToken(refused: RefusedToken?, now: Instant) {
    self.now = now
    login.webSocketWantsToken(refused: refused, now: now)
  }

  /// Handles the answer to `ask`, or its failure.
  public func asked(_ result: Result<JSON, RequestError>, now: Instant) {
    self.now = now
    statistics?.answered(result, now: now)
  }

  // MARK: Disk

  public func stateWritten() { keeper.written() }

  public func stateFailed(words: [UInt8]) { keeper.failed(words) }

  /// `rejected` is nil if the tokens cannot be read, for the cause in `words`.
  public func rejectedTokensRead(_ rejected: RejectedTokens?, words: [UInt8] = []) {
    if rejected == nil { keeper.tell(words) }
    login.rejectedTokensRead(rejected.map { keeper.completed($0, now: now) }, now: now)
  }

  public func tokenFileRead(_ token: Result<[UInt8], Enrollment.TokenFlaw>) {
    login.tokenFileRead(token)
  }

  /// Handles the end of a write of `waitingHours`; `failure` is nil after a success.
  public func hoursKept(_ failure: DiskFailure?) {
    statistics?.kept(failure)
  }

  /// Writes all data in memory to the disk now, even after a recent failure.
  public func keepEverything() {
    keeper.retryDue()
    delivery.history.keepEverything()
  }
}
