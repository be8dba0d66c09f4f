import Board
import Bytes
import Drivers
import HomeAssistant
import Sensing

// The network of the board, the WebSocket, the push relay, and the supply with the effect of the
// power policy.

extension StatusReport {
  func appendNetwork(to document: inout ByteBuffer) {
    guard let network else { return }
    document.open("network")
    let reason: MessageText = network.place.reason(network.presence).map { ": \($0)" } ?? ""
    switch network.presence {
    case .home: document.appendState("home", "home")
    case .away:
      document.appendMember("state", "away")
      document.appendMember("text", words: "not home\(reason)")
    case .unknown:
      document.appendMember("state", "unknown")
      document.appendMember("text", words: "not known yet whether this is home\(reason)")
    }
    switch network.place {
    case .unknown: break
    case .none: document.appendMember("kind", "none")
    case .wireless(let wireless, let interface):
      document.append("wireless", interface)
      if let ssid = wireless.ssid { document.appendMember("name", words: ssid.words) }
    case .wired(let gateway, let interface):
      document.append("wired", interface)
      if let gateway { document.appendMember("gateway", words: gateway.words) }
    case .silent(_, let interface): document.append("wired", interface)
    case .elsewhere(let interface): document.append("other", interface)
    }
    document.closeJSONObject()
  }

  func appendWebSocket(to document: inout ByteBuffer) {
    guard let webSocket else { return }
    document.open("websocket")
    switch webSocket.state {
    case .ready(let version):
      document.appendMember("is_well", true)
      document.appendState("open", "open")
      document.appendMember("version", version.text.bytes.span)
    case .connecting, .authenticating: document.appendState("connecting", "connecting")
    case .down(.idle):
      document.appendState("not_wanted", "closed: the token is sent only at home")
    case .down(.rejected):
      document.appendMember("is_well", false)
      document.appendState(
        "rejected", "Home Assistant does not accept the token; see: sudo homeward check")
    case .down(.retrying(_, let next, let cause)):
      document.appendMember("is_well", false)
      document.appendMember("state", "failed")
      document.appendMember("text", words: cause.words)
      append(future: "next_attempt", next, to: &document)
    }
    append(past: "since", webSocket.since, to: &document)
    document.closeJSONObject()
  }

  func appendRelay(to document: inout ByteBuffer) {
    guard let relay else { return }
    document.open("relay")
    if let problem = relay.problem {
      document.appendMember("is_well", false)
      document.appendMember("state", "failed")
      document.appendMember("cause", problem.code)
      document.appendMember("text", words: problem.words)
    } else if relay.answeredAt != nil {
      document.appendMember("is_well", true)
      document.appendState("works", "answers")
    } else {
      document.appendState("untried", "nothing was fetched yet")
    }
    if let answered = relay.answeredAt { append(past: "last_answer", answered, to: &document) }
    document.closeJSONObject()
  }
}

extension ByteBuffer {
  fileprivate mutating func append(_ kind: StaticString, _ interface: NetworkInterface) {
    appendMember("kind", kind)
    appendMember("interface", interface.name.bytes)
  }
}
