import Bytes

/// The sequence of requests from Home Assistant's address to the location, with the kernel's
/// answers so far.
///
/// The interface of the route to the address counts; if the address is unknown, that of the best
/// default route. On a cable each gateway counts that the kernel may use there, and if the address
/// is in the cable's own network, the machine that has it.
final class NetworkRound {
  enum Question {
    /// Route to the address.
    case way(NetworkAddress)
    /// List of routes.
    case routes(NetworkAddress.Family)
    /// Properties of an interface.
    case link(UInt32)
    /// Family of nl80211.
    case families
    /// Association of the radio.
    case stations(WirelessFamily)
    /// Hardware address of a gateway.
    case neighbour(NetworkAddress)
  }

  /// Next step after an answer.
  enum Step {
    /// The answer is incomplete.
    case wait
    /// `question` is the next request.
    case ask
    /// The family of nl80211 was found; nil if the kernel has none. Continue with `familyKnown`.
    case familyFound(WirelessFamily?)
    /// The family was removed with its module.
    case familyLost
    /// The round ends. `unknown` are the gateways without a known hardware address.
    case found(NetworkPlace, unknown: [NetworkAddress])
    /// The subject of the request was removed meanwhile.
    case askAgain
    case failed(errno: Int32)
  }

  /// Maximum number of gateways to ask about.
  static let gatewaysMax = 8

  private let goal: NetworkGoal?
  private(set) var question: Question
  let until: Instant
  /// Whether a list of the kernel changed while it was made.
  private var isInterrupted = false
  /// Whether a change was announced during the round.
  var isOutdated = false

  private var way: RouteHop?
  private var routes: [NetworkRoute] = []
  /// Interfaces that show no location, and the first of them with a default route.
  private var passed: [UInt32] = []
  private var elsewhere: NetworkInterface?
  private var link: LinkMessage?
  private var family: WirelessFamily?
  private var network: WirelessNetwork?
  /// Gateways still to ask about, and the results of the others.
  private var gateways: [NetworkAddress] = []
  private var hardware: HardwareAddress?
  private var unknown: [NetworkAddress] = []

  /// Starts a round that ends at `until`. `goal` is nil if no network is configured as home.
  init(to goal: NetworkGoal?, family: WirelessFamily?, until: Instant) {
    self.goal = goal
    self.family = family
    self.until = until
    question = goal?.address.map { Question.way($0) } ?? .routes(.ipv4)
  }

  var request: NetlinkRequest {
    switch question {
    case .way(let address): .way(address)
    case .routes(let family): .routes(family)
    case .link(let interface): .link(interface)
    case .families: .families
    case .stations(let family): .stations(family, interface: interface.index)
    case .neighbour(let gateway): .neighbour(gateway, interface: interface.index)
    }
  }

  var netlink: NetlinkProtocol {
    switch question {
    case .way, .routes, .link, .neighbour: .route
    case .families, .stations: .generic
    }
  }

  /// Interface of the current requests.
  var interface: NetworkInterface {
    guard let link else { preconditionFailure("its link comes first") }
    return link.interface
  }

  private func ask(_ question: Question) -> Step {
    self.question = question
    isInterrupted = false
    return .ask
  }

  // MARK: Answers

  /// Processes a message that answers the request.
  func answered(_ message: borrowing NetlinkMessage) throws(NetlinkError) -> Step {
    if message.flags & Netlink.Flag.dumpInterrupted != 0 { isInterrupted = true }
    switch message.type {
    case Netlink.MessageType.error, Netlink.MessageType.done:
      let error = try message.errorNumber()
      if error != 0 { return refused(error) }
      return isInterrupted ? .askAgain : ended()
    default: return try received(message)
    }
  }

  /// Processes one entry of a list, or an answer of one message.
  private func received(_ message: borrowing NetlinkMessage) throws(NetlinkError) -> Step {
    switch (question, message.type) {
    case (.way, RouteNetlink.MessageType.newRoute):
      way = try RouteHop(message)
      return ask(.routes(.ipv4))
    case (.routes, RouteNetlink.MessageType.newRoute): try routes.append(message)
    case (.link(let interface), RouteNetlink.MessageType.newLink):
      let link = try LinkMessage(message)
      guard link.interface.index == interface else { return .wait }
      self.link = link
      guard link.isEthernet else { return passOver() }
      return ask(family.map { Question.stations($0) } ?? .families)
    case (.families, GenericNetlink.controller):
      if let family = try WirelessFamily(message) { self.family = family }
    case (.stations(let family), let type) where type == family.id:
      if network == nil { network = try WirelessNetwork(associatedIn: message) }
    case (.neighbour(let gateway), RouteNetlink.MessageType.newNeighbour):
      let neighbour = try NeighbourMessage(message)
      guard neighbour.address == gateway, neighbour.interface == interface.index else {
        return .wait
      }
      return answered(gateway, neighbour.hardwareAddress)
    default: break
    }
    return .wait
  }

  /// Handles the end of a list.
  private func ended() -> Step {
    switch question {
    case .routes(.ipv4): return ask(.routes(.ipv6))
    case .routes(.ipv6): return askLink()
    case .families: return .familyFound(family)
    case .stations:
      guard let network else { return passOver() }
      return .found(.wireless(network, interface), unknown: [])
    // The answer is one message.
    case .way, .link, .neighbour: return .wait
    }
  }

  /// Handles an error number of the kernel.
  private func refused(_ error: Int32) -> Step {
    switch (question, error) {
    // There is no route.
    case (.way, _): ask(.routes(.ipv4))
    case (.stations, KernelError.noSuchDevice), (.stations, KernelError.notSupported): askGateways()
    case (.stations, KernelError.noSuchEntry): .familyLost
    case (.neighbour(let gateway), KernelError.noSuchEntry): answered(gateway, nil)
    case (.link, KernelError.noSuchDevice), (.neighbour, KernelError.noSuchDevice): .askAgain
    default: .failed(errno: error)
    }
  }

  /// Continues with the known family of nl80211.
  func familyKnown() -> Step {
    if let family { return ask(.stations(family)) }
    return askGateways()
  }

  // MARK: The interface

  /// Best route over an interface that was not examined yet.
  private var best: NetworkRoute? {
    var best: NetworkRoute?
    for route in routes where !passed.contains(route.hop.interface) {
      // Without a default route, all traffic uses the networks of the interfaces.
      guard route.isDefault || goal != nil && goal?.address == nil && elsewhere == nil else {
        continue
      }
      if best.map({ route.isBetter(than: $0) }) ?? true { best = route }
    }
    return best
  }

  private func askLink() -> Step {
    if let way { return ask(.link(way.interface)) }
    if let best { return ask(.link(best.hop.interface)) }
    return .found(elsewhere.map { .elsewhere($0) } ?? .none, unknown: [])
  }

  /// Skips an interface that shows no location. Another one may show it, if traffic to the goal
  /// bypasses the default route.
  private func passOver() -> Step {
    let isDefault = way != nil || best?.isDefault == true
    if isDefault, elsewhere == nil { elsewhere = interface }
    passed.append(interface.index)
    guard way == nil, !isDefault || goal?.passesTunnels == true else {
      return .found(elsewhere.map { .elsewhere($0) } ?? .none, unknown: [])
    }
    return askLink()
  }

  // MARK: The gateways

  private func askGateways() -> Step {
    // Without a gateway, only a radio identifies the network.
    guard way != nil || best?.isDefault == true else { return passOver() }
    gateways = candidates()
    return gateways.isEmpty ? passOver() : ask(.neighbour(gateways.removeFirst()))
  }

  /// Returns the gateways that the kernel may use on this interface, the most likely one first.
  private func candidates() -> [NetworkAddress] {
    var found: [NetworkAddress] = []
    if let gateway = way?.gateway { found.append(gateway) }
    for family in [NetworkAddress.Family.ipv4, .ipv6] {
      let own = routes.filter {
        $0.isDefault && $0.family == family && $0.hop.interface == interface.index
      }
      for route in own where !own.contains(where: { $0.isBetter(than: route) }) {
        if let gateway = route.hop.gateway, !found.contains(gateway) { found.append(gateway) }
      }
    }
    guard let goal, !goal.gateways.isEmpty else { return [NetworkAddress](found.prefix(1)) }
    if way != nil, way?.gateway == nil, let address = goal.address, !found.contains(address) {
      found.append(address)
    }
    return [NetworkAddress](found.prefix(Self.gatewaysMax))
  }

  private func answered(_ gateway: NetworkAddress, _ found: HardwareAddress?) -> Step {
    if let found, goal?.gateways.contains(found) == true {
      return .found(.wired(gateway: found, interface), unknown: [])
    }
    if found == nil { unknown.append(gateway) }
    hardware = hardware ?? found
    guard gateways.isEmpty else { return ask(.neighbour(gateways.removeFirst())) }
    return .found(.wired(gateway: hardware, interface), unknown: unknown)
  }
}

/// Error numbers of Linux in the kernel's answers.
enum KernelError {
  static let operationNotPermitted: Int32 = 1
  static let noSuchEntry: Int32 = 2
  static let notPermitted: Int32 = 13
  static let busy: Int32 = 16
  static let noSuchDevice: Int32 = 19
  static let notSupported: Int32 = 95
}
