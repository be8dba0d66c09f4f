import Board
import Bytes
import Drivers
import Sensing

// Reports about the network of the board, and its supply.

extension Reporter {
  func presence(_ presence: HomeNetworks.Presence, _ place: NetworkPlace) {
    switch presence {
    case .home:
      if let words = telling(once: Troubles.Topic(.presence), "at home: \(place.words(.home))") {
        log.notice(words)
      }
      events.write("at_home")
    case .away:
      let words: MessageText = "not at home: \(place.words(.away))"
      if let words = telling(once: Troubles.Topic(.presence), words) { log.notice(words) }
      events.write("away")
    case .unknown:
      let words: MessageText = "not known whether this is home: \(place.words(.unknown))"
      if let words = telling(once: Troubles.Topic(.presence), words) { log.warning(words) }
    }
  }
}

extension Reporter {
  func powerLevel(_ level: MessageText, every: Duration) {
    let words: MessageText = "power level: \(level); every \(every)"
    if let words = telling(once: Troubles.Topic(.power), words) { log.notice(words) }
    events.write("power_level") { $0.appendMember("level", level.bytes.span) }
  }
}

extension NetworkPlace {
  /// Returns the log words for a place. Names of foreign networks show the place of the user, so
  /// they are left out.
  fileprivate func words(_ presence: HomeNetworks.Presence) -> MessageText {
    let reason: MessageText = reason(presence).map { "; \($0)" } ?? ""
    return switch self {
    case .unknown: "the network is not known yet"
    case .none: "there is no network"
    case .wireless(_, let interface): "wireless, over \(interface.name)\(reason)"
    case .wired(_, let interface), .silent(_, let interface):
      "by cable, over \(interface.name)\(reason)"
    case .elsewhere(let interface): "over \(interface.name)\(reason)"
    }
  }
}
