import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

// The connection to Home Assistant and its routes.

extension StatusReport {
  func appendHomeAssistant(_ delivery: Delivery, to document: inout ByteBuffer) {
    document.open("home_assistant")
    document.appendMember("is_well", isWell(delivery))
    if let isSealed {
      append(delivery.status, to: &document)
      document.appendMember("protection", isSealed ? "sealed" : "plain")
    } else {
      document.appendMember("state", "unregistered")
      if let registrationProblem {
        document.appendMember("cause", registrationProblem.code)
        document.appendMember("text", words: registrationProblem.words)
      } else {
        document.appendMember("text", "this board is being registered")
      }
      if let since = delivery.unregisteredSince { append(past: "since", since, to: &document) }
    }
    document.appendMember("url", url.span)
    if let proof = delivery.lastProvenAt { append(past: "last_proof", proof, to: &document) }
    if let next = nextAttemptAt { append(future: "next_attempt", next, to: &document) }
    document.closeJSONObject()
  }

  private func append(_ status: DeliveryStatus, to document: inout ByteBuffer) {
    switch status {
    case .untried: document.appendState("untried", "nothing was sent yet")
    case .proven: document.appendState("proven", "accepts the data")
    case .outage(let cause, let since, let isDoubted):
      document.appendMember("state", "outage")
      append(cause, since: since, to: &document)
      document.appendMember("is_registration_doubted", isDoubted)
    }
  }

  private func append(_ cause: OutageCause, since: Instant, to document: inout ByteBuffer) {
    document.appendMember("cause", cause.code)
    document.appendMember("text", words: cause.words)
    append(past: "since", since, to: &document)
  }

  // MARK: Routes

  func append(_ routes: Routes, to document: inout ByteBuffer) {
    document.appendJSON(key: "routes")
    document.openJSONArray()
    // Whether the route comes before the one in use.
    var isBetter = true
    for route in routes.order {
      document.openJSONObject()
      document.appendMember("route", route.code)
      document.appendMember("name", words: route.words)
      if let current = routes.current, current.route == route {
        document.appendMember("state", "taken")
        if route.isConfigured, let url = routes.url(of: route) {
          document.appendMember("url", url.span)
        }
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
    case .noAddress: document.appendState("no_address", "Home Assistant gave no address")
    case .away where network?.presence == .unknown:
      document.appendState("away", "it is not known whether this board is at home")
    case .away: document.appendState("away", "this board is not at home")
    case .unencrypted:
      document.appendState("unencrypted", "plain HTTP is used only at home")
    case .failed(let cause, let since, let until):
      document.appendMember("state", "failed")
      append(cause, since: since, to: &document)
      // If no route is left, the next attempt of the outage tries all of them.
      append(future: "next_attempt", min(until, nextAttemptAt ?? until), to: &document)
    case nil where isBetter: document.appendState("due", "tried again with the next cycle")
    case nil: document.appendState("in_reserve", "not needed")
    }
  }
}

extension ByteBuffer {
  /// Appends a word for scripts and a text for people.
  mutating func appendState(_ state: StaticString, _ text: StaticString) {
    appendMember("state", state)
    appendMember("text", text)
  }
}
