import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox

// Reports about the WebSocket and the push relay, if they are configured.

extension Reporter {
  /// Reports a change of the connection; the log has the start and the end of an outage once.
  func webSocket(_ state: ConnectionState, of login: Login) {
    switch state {
    case .ready(let version):
      let words: MessageText =
        "connected to Home Assistant \(bytes: version.text.bytes.printable) over the WebSocket"
      if troubles.ended(Troubles.Topic(.webSocket)) { log.notice(words) }
      events.write("websocket_connected")
    case .down(.retrying(attempt: 1, _, let cause)):
      report(
        .warning, Troubles.Topic(.webSocket),
        "the WebSocket to Home Assistant failed: \(cause.words). The agent retries")
      events.write("websocket_failed")
    case .down(.rejected):
      log.error("there is no WebSocket: \(login.rejectedWithRemedy)")
      events.write("websocket_rejected")
    case .down(.idle), .down(.retrying), .connecting, .authenticating: break
    }
  }

  func withoutLogin(_ reason: MessageText) {
    log.error(
      "there is no WebSocket: \(reason). The agent retries after its next start; only notifications"
        + " and statistics need it")
    events.write("websocket_rejected")
  }

  func tokenExposed(in file: Path) {
    log.warning(
      "every user of this board can read the token in \(file); run: chmod 600 \(file)")
  }

  func withoutRelay(_ reason: MessageText) {
    log.error("no notifications come from the push relay: \(reason)")
    events.write("push_off")
  }

  func push(_ event: PushFetcher.Event) {
    let topic = Troubles.Topic(.notification, InlineText("relay"))
    switch event {
    case .problem(nil):
      if troubles.ended(topic) { log.notice("the push relay answers again") }
      events.write("push_works")
    case .problem(let problem?):
      report(.warning, topic, "no notifications come from the push relay: \(problem.words)")
      events.write("push_failed") { $0.appendMember("cause", problem.code) }
    case .unreadable(let count):
      log.warning(
        "\(count) notifications of the push relay cannot be read and are lost: they were sealed to an"
          + " earlier key of this board, or are not of Home Assistant; send them again")
      events.write("push_unreadable") { $0.appendMember("count", count) }
    }
  }

  func pushChannel(_ change: PushChannel.Change) {
    guard case .refused(let error) = change else { return events.write("notifications_open") }
    let remedy: MessageText =
      if case .server(code: "not_found", message: _) = error {
        "It was deleted there or registered again: \(Arguments.command("check")) shows which"
      } else { "The token must belong to the user who registered this board" }
    log.warning("this board gets no notifications: \(error.words). \(remedy)")
    events.write("notifications_refused")
  }

  func notification(_ notification: PushNotification) {
    let title = notification.title?.bytes ?? []
    let message = notification.message?.bytes ?? []
    let words: MessageText =
      title.isEmpty
      ? "notification: \(received: message)"
      : "notification: \(received: title): \(received: message)"
    report(.notice, once: Troubles.Topic(.notification), words)
    events.write("notification") {
      $0.appendMember("title", title.span)
      $0.appendMember("message", message.span)
      $0.appendMember("data") { notification.data.write(into: &$0) }
    }
  }

  func notificationUnreadable() {
    report(
      .warning, once: Troubles.Topic(.notification, InlineText("unreadable")),
      "a notification from Home Assistant is unreadable")
  }
}
