import Board
import Bytes
import Drivers
import Sensing

// Reports about the network of the board, and its supply.

extension Reporter {
  func presence(_ presence: HomeNetworks.Presence, _ place: NetworkPlace) {
    switch presence {
    case .home:
      report(.notice, once: Troubles.Topic(.presence), "at home: \(place.words(.home))")
      events.write("at_home")
    case .away:
      report(.notice, once: Troubles.Topic(.presence), "not at home: \(place.words(.away))")
      events.write("away")
    case .unknown:
      report(
        .warning, once: Troubles.Topic(.presence),
        "not known whether this is home: \(place.words(.unknown))")
    }
  }

  func powerLevel(_ level: MessageText, every: Duration) {
    report(.notice, once: Troubles.Topic(.power), "power level: \(level); every \(every)")
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
