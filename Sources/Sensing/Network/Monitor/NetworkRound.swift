import Bytes

/// The questions from Home Assistant's address to the place, one after the other, and what the
/// kernel has answered to them so far.
///
/// The interface by which the address leaves is judged; where the address is not known, that of the
/// best default route. On a cable each gateway counts that the kernel may take there, and where the
/// address is in the cable's own network, the machine that has it.
final class NetworkRound {
  enum Question {
    /// How the kernel reaches the address.
    case way(NetworkAddress)
    /// Which routes there are.
    case routes(NetworkAddress.Family)
    /// What an interface is.
    case link(UInt32)
    /// Which family speaks for radios.
    case families
    /// What the radio is associated with.
    case stations(WirelessFamily)
    /// What the hardware address of a gateway is.
    case neighbour(NetworkAddress)
  }

  /// What follows from an answer.
  enum Step {
    /// The answer is not complete.
    case wait
    /// `question` is the next one.
    case ask
    /// The family that speaks for radios; nil where the kernel has none. It is told to
    /// `familyKnown`.
    case familyFound(WirelessFamily?)
    /// The family has gone, with its module.
    case familyLost
    /// The round ends here. Of these gateways no hardware address is known.
    case found(NetworkPlace, unknown: [NetworkAddress])
    /// What was asked about has gone since.
    case askAgain
    case failed(errno: Int32)
  }

  /// More are not asked about.
  static let gatewaysMax = 8

  private let goal: NetworkGoal?
  private(set) var question: Question
  let until: Instant
  /// Whether the list that the kernel gives changed while it was made.
  private var isInterrupted = false
  /// Whether something was announced while questions were open.
  var isOutdated = false

  private var way: RouteHop?
  private var routes: [NetworkRoute] = []
  /// The interfaces that say nothing of the place, and the first one of them that leads everywhere.
  private var passed: [UInt32] = []
  private var elsewhere: NetworkInterface?
  private var link: LinkMessage?
  private var family: WirelessFamily?
  private var network: WirelessNetwork?
  /// The gateways that were not asked about yet, and what is known of the others.
  private var gateways: [NetworkAddress] = []
  private var hardware: HardwareAddress?
  private var unknown: [NetworkAddress] = []

  /// - Parameters:
  ///   - goal: what the way leads to; nil where no network is known to be home.
  ///   - family: who speaks for radios, where that is known.
  ///   - until: when all answers have to be there.
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

  /// The interface that is being asked about.
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

  /// Takes in a message that answers the question.
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

  /// Takes in one entry of a list, or an answer that is one message.
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

  /// The kernel ended the list.
  private func ended() -> Step {
    switch question {
    case .routes(.ipv4): return ask(.routes(.ipv6))
    case .routes(.ipv6): return askLink()
    case .families: return .familyFound(family)
    case .stations:
      guard let network else { return passOver() }
      return .found(.wireless(network, interface), unknown: [])
    // Their answer is one message.
    case .way, .link, .neighbour: return .wait
    }
  }

  /// The kernel answered with an error number.
  private func refused(_ error: Int32) -> Step {
    switch (question, error) {
    // No way leads there.
    case (.way, _): ask(.routes(.ipv4))
    case (.stations, KernelError.noSuchDevice), (.stations, KernelError.notSupported): askGateways()
    case (.stations, KernelError.noSuchEntry): .familyLost
    case (.neighbour(let gateway), KernelError.noSuchEntry): answered(gateway, nil)
    case (.link, KernelError.noSuchDevice), (.neighbour, KernelError.noSuchDevice): .askAgain
    default: .failed(errno: error)
    }
  }

  /// Goes on with what is known of radios.
  func familyKnown() -> Step {
    if let family { return ask(.stations(family)) }
    return askGateways()
  }

  // MARK: The interface

  /// The best route over an interface that was not looked at.
  private var best: NetworkRoute? {
    var best: NetworkRoute?
    for route in routes where !passed.contains(route.hop.interface) {
      // Without a default route, all leaves over the networks of the interfaces.
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

  /// The interface says nothing of the place. Another one may, where messages leave over that all
  /// the same.
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
    // Of a network without a gateway only a radio says which it is.
    guard way != nil || best?.isDefault == true else { return passOver() }
    gateways = candidates()
    return gateways.isEmpty ? passOver() : ask(.neighbour(gateways.removeFirst()))
  }

  /// All that the kernel may take on this interface, the most likely one first.
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

/// Error numbers of Linux that the kernel answers with.
enum KernelError {
  static let operationNotPermitted: Int32 = 1
  static let noSuchEntry: Int32 = 2
  static let notPermitted: Int32 = 13
  static let busy: Int32 = 16
  static let noSuchDevice: Int32 = 19
  static let notSupported: Int32 = 95
}
