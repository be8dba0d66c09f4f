import Board
import Bytes
import Drivers
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

extension NetworkHere {
  /// Finding of `homeward check` about the network.
  var finding: Finding {
    let reason: MessageText = place.reason(presence).map { ": \($0)" } ?? ""
    switch presence {
    case .home: return .well("network", "At home\(connection)")
    case .away where place.isConnected:
      return .note("network", "Not at home\(connection)\(reason)", remedy: remedy)
    case .away:
      return .wrong(
        "network", "none", .network, .temporaryFailure, "Not at home\(reason)", remedy: remedy)
    case .unknown:
      return .wrong(
        "network", "not_known", .network, .temporaryFailure,
        "It is not known whether this is home\(connection)\(reason)", remedy: remedy)
    }
  }

  /// Name of the wireless network as the finding shows it.
  var ssid: [UInt8]? {
    guard case .wireless(let network, _) = place else { return nil }
    return network.ssid?.words.bytes
  }

  /// Description of the present connection.
  private var connection: MessageText {
    switch place {
    case .unknown, .none: ""
    case .wireless(let network, let interface):
      network.ssid.map { ": \($0.words), over \(interface.name)" } ?? ": over \(interface.name)"
    case .wired(let gateway?, let interface):
      ": by cable, over \(interface.name), gateway \(gateway.words)"
    case .wired(nil, let interface), .silent(_, let interface):
      ": by cable, over \(interface.name)"
    case .elsewhere(let interface): ": over \(interface.name)"
    }
  }

  private var remedy: MessageText {
    switch place {
    case .unknown, .none: "check the cable or the Wi-Fi of this board"
    case .wireless(let network, _):
      "if this is home, add its name to home_network.ssids, or its access point"
        + " \(network.bssid.words) to home_network.bssids"
    case .wired(let gateway?, _) where gateway.isOfVirtualRouter:
      "many networks have a gateway of this address; if this is home, and Home Assistant is on the"
        + " same cable, add its hardware address to home_network.gateways"
    case .wired(let gateway?, _): "if this is home, add \(gateway.words) to home_network.gateways"
    case .wired(nil, _), .silent:
      "switch the gateway on; or, if Home Assistant is on the same cable, add its hardware address"
        + " to home_network.gateways"
    case .elsewhere:
      "if this is home, write the numeric address of Home Assistant into home_network.url: the"
        + " route to it decides"
    }
  }
}

/// Routes over which the agent reports from here, as far as `homeward check` asks them.
struct CheckedRoutes {
  let settings: Configuration.HomeAssistantSettings
  let routes: Routes
  /// Address from the configuration that the agent uses here.
  let configured: Route
  let url: [UInt8]
  let urlKey: StaticString
  /// Whether the agent sends messages to `url` from here.
  let isAllowed: Bool
  /// Usable routes to other addresses, the best one first; none before pairing.
  let others: [Route]
  /// Whether a paired board sends nothing from here.
  let hasNoRoute: Bool

  /// Takes the addresses in the cloud from the registration.
  init(
    _ settings: Configuration.HomeAssistantSettings, at presence: HomeNetworks.Presence,
    _ registration: Registration?
  ) {
    self.settings = settings
    let now = Moment.now.instant
    let routes = Routes(
      instance: settings.url, home: settings.server.home?.url,
      cloudhook: registration?.cloudhookURL?.bytes, remoteUI: registration?.remoteUIURL?.bytes,
      presence: presence,
      isPlainAllowedAway: settings.server.isPlainAllowedAway, seed: 0, now: now)
    self.routes = routes
    configured = presence == .home ? .home : .instance
    url = routes.url(of: configured) ?? settings.url
    urlKey = url == settings.url ? "home_assistant.url" : "home_network.url"
    let (usable, url) = (routes.order.filter { routes.obstacle(to: $0, now: now) == nil }, url)
    isAllowed = usable.contains(configured)
    others = registration == nil ? [] : usable.filter { routes.url(of: $0) != url }
    hasNoRoute = registration != nil && usable.isEmpty
  }

  /// Finding about what is not sent to an address in plain HTTP.
  func plainFinding(_ subject: StaticString) -> Finding {
    let why: MessageText = "\(bytes: url) is plain HTTP, which is used only at home"
    let remedy: MessageText =
      "test it at home; to use it from here, write https:// into home_assistant.url"
    guard hasNoRoute else { return .note(subject, "Not tested: \(why)", remedy: remedy) }
    return .wrong(
      subject, "no_route", .network, .temporaryFailure, "Nothing is sent from here: \(why)",
      remedy: remedy)
  }
}
