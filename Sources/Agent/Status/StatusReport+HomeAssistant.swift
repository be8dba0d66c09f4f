import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

// Whether Home Assistant is reached, and over which way.

extension StatusReport {
  func appendHomeAssistant(_ delivery: borrowing Delivery, to document: inout ByteBuffer) {
    document.open("home_assistant")
    document.appendMember("url", url.span)
    if let isSealed {
      document.appendMember("protection", isSealed ? "sealed" : "plain")
      appendStanding(delivery.standing, to: &document)
    } else {
      document.appendMember("state", "unregistered")
      if let registrationProblem {
        document.appendMember("cause", registrationProblem.code)
        document.appendMember("text", registrationProblem.words.bytes.span)
      }
      if let since = delivery.unregisteredSince { append(past: "since", since, to: &document) }
    }
    if let proof = delivery.lastProvenAt { append(past: "last_proof", proof, to: &document) }
    if let next = nextAttemptAt { append(future: "next_attempt", next, to: &document) }
    document.closeJSONObject()
  }

  private func appendStanding(_ standing: Delivery.Standing, to document: inout ByteBuffer) {
    switch standing {
    case .untried: document.appendMember("state", "untried")
    case .proven: document.appendMember("state", "proven")
    case .outage(let cause, let since, let isDoubted):
      document.appendMember("state", "outage")
      append(cause, since: since, to: &document)
      document.appendMember("is_registration_doubted", isDoubted)
    }
  }

  private func append(_ cause: OutageCause, since: Instant, to document: inout ByteBuffer) {
    document.appendMember("cause", cause.code)
    document.appendMember("text", cause.words.bytes.span)
    append(past: "since", since, to: &document)
  }

  // MARK: Routes

  func appendRoutes(_ routes: Routes, to document: inout ByteBuffer) {
    document.appendJSON(key: "routes")
    document.openJSONArray()
    // Whether it comes before the one that is taken.
    var isBetter = true
    for route in routes.order {
      document.openJSONObject()
      document.appendMember("route", route.code)
      document.appendMember("name", route.words.bytes.span)
      if route == .home || route == .instance, let url = routes.url(of: route) {
        document.appendMember("url", url.span)
      }
      if let current = routes.current, current.route == route {
        document.appendMember("state", "taken")
        append(past: "since", current.since, to: &document)
        isBetter = false
      } else {
        append(routes.obstacle(to: route, now: now.instant), isBetter: isBetter, to: &document)
      }
      document.closeJSONObject()
    }
    document.closeJSONArray()
  }

  private func append(
    _ obstacle: RouteObstacle?, isBetter: Bool, to document: inout ByteBuffer
  ) {
    switch obstacle {
    case .noAddress: document.appendMember("state", "no_address")
    case .away: document.appendMember("state", "away")
    case .unencrypted: document.appendMember("state", "unencrypted")
    case .failed(let cause, let since, let until):
      document.appendMember("state", "failed")
      append(cause, since: since, to: &document)
      append(future: "next_attempt", until, to: &document)
    case nil: document.appendMember("state", isBetter ? "due" : "in_reserve")
    }
  }

  // MARK: Networks

  func appendNetwork(to document: inout ByteBuffer) {
    guard let network else { return }
    document.open("network")
    document.appendMember("presence", network.presence.code)
    switch network.place {
    case .unknown: break
    case .none: document.appendMember("kind", "none")
    case .wireless(let wireless, let interface):
      document.append("wireless", interface)
      guard let ssid = wireless.ssid else { break }
      var name = ByteBuffer(capacity: SSID.printableByteCountMax)
      name.append(ssid)
      document.appendMember("ssid", name.bytes)
    case .wired(_, let interface): document.append("wired", interface)
    case .elsewhere(let interface): document.append("other", interface)
    }
    document.closeJSONObject()
  }

  func appendWebSocket(to document: inout ByteBuffer) {
    guard let webSocket else { return }
    document.open("websocket")
    document.appendMember("state", webSocket.state.code)
    append(past: "since", webSocket.since, to: &document)
    switch webSocket.state {
    case .ready(let version): document.appendMember("version", version.text.bytes.span)
    case .down(.retrying(_, let next, let cause)):
      document.appendMember("text", cause.words.bytes.span)
      append(future: "next_attempt", next, to: &document)
    case .down(.rejected), .down(.idle), .connecting, .authenticating: break
    }
    document.closeJSONObject()
  }
}

extension ByteBuffer {
  fileprivate mutating func append(_ kind: StaticString, _ interface: NetworkInterface) {
    appendMember("kind", kind)
    appendMember("interface", interface.name.bytes)
  }
}

extension HomeNetworks.Judgement {
  fileprivate var code: StaticString {
    switch self {
    case .home: "home"
    case .away: "away"
    case .unknown: "unknown"
    }
  }
}

extension ConnectionState {
  fileprivate var code: StaticString {
    switch self {
    case .ready: "open"
    case .connecting: "connecting"
    case .authenticating: "authenticating"
    case .down(.idle): "not_wanted"
    case .down(.rejected): "rejected"
    case .down(.retrying): "failed"
    }
  }
}
