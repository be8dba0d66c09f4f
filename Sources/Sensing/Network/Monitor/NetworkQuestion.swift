import Bytes

/// A question of a round, and what the kernel has answered to it so far.
enum NetworkQuestion {
  /// Which default routes are there; the one with the lowest metric counts.
  case routes(NetworkAddress.Family, best: DefaultRoute?)
  /// What the interface of the route is.
  case link(DefaultRoute)
  /// Which family speaks for radios.
  case families(LinkMessage, DefaultRoute, found: WirelessFamily?)
  /// What the radio is associated with.
  case stations(WirelessFamily, LinkMessage, DefaultRoute, found: WirelessNetwork?)
  /// What the hardware address of the gateway is.
  case neighbour(NetworkAddress, NetworkInterface)

  /// What follows from an answer.
  enum Step {
    /// The answer is not complete.
    case wait
    case ask(NetworkQuestion)
    /// The route leaves over this interface, which may have a radio.
    case askRadio(LinkMessage, DefaultRoute)
    /// The interface has no radio.
    case askGateway(LinkMessage, DefaultRoute)
    /// The family that speaks for radios; nil where the kernel has none.
    case familyFound(WirelessFamily?, LinkMessage, DefaultRoute)
    /// The family has gone, with its module.
    case familyLost
    /// The round ends here.
    case found(NetworkPlace)
    /// What was asked about has gone since.
    case askAgain
    case failed(errno: Int32)
  }

  var request: NetlinkRequest {
    switch self {
    case .routes(let family, _): .routes(family)
    case .link(let route): .link(route.interface)
    case .families: .families
    case .stations(let family, _, let route, _): .stations(family, interface: route.interface)
    case .neighbour(let gateway, let interface): .neighbour(gateway, interface: interface.index)
    }
  }

  var netlink: NetlinkProtocol {
    switch self {
    case .routes, .link, .neighbour: .route
    case .families, .stations: .generic
    }
  }

  // MARK: Answers

  /// Takes in one entry of a list, or an answer that is one message.
  mutating func received(_ message: borrowing NetlinkMessage) throws(NetlinkError) -> Step {
    switch (self, message.type) {
    case (.routes(let family, let best), RouteNetlink.MessageType.newRoute):
      if let route = try DefaultRoute(message), best.map({ route.metric < $0.metric }) ?? true {
        self = .routes(family, best: route)
      }
    case (.link(let route), RouteNetlink.MessageType.newLink):
      let link = try LinkMessage(message)
      guard link.interface.index == route.interface else { return .wait }
      return link.isEthernet ? .askRadio(link, route) : .found(.elsewhere(link.interface))
    case (.families(let link, let route, _), GenericNetlink.controller):
      if let family = try WirelessFamily(message) {
        self = .families(link, route, found: family)
      }
    case (.stations(let family, let link, let route, found: nil), let type) where type == family.id:
      let network = try WirelessNetwork(associatedIn: message)
      self = .stations(family, link, route, found: network)
    case (.neighbour(let gateway, let interface), RouteNetlink.MessageType.newNeighbour):
      let neighbour = try NeighbourMessage(message)
      guard neighbour.address == gateway, neighbour.interface == interface.index else {
        return .wait
      }
      return .found(.wired(gateway: neighbour.hardwareAddress, interface))
    default: break
    }
    return .wait
  }

  /// The kernel ended the list.
  func ended() -> Step {
    switch self {
    case .routes(_, let best?): .ask(.link(best))
    case .routes(.ipv4, nil): .ask(.routes(.ipv6, best: nil))
    case .routes(.ipv6, nil): .found(.none)
    case .families(let link, let route, let found): .familyFound(found, link, route)
    case .stations(_, let link, _, let network?): .found(.wireless(network, link.interface))
    case .stations(_, let link, _, nil): .found(.elsewhere(link.interface))
    // Their answer is one message.
    case .link, .neighbour: .wait
    }
  }

  /// The kernel answered with an error number.
  func refused(_ error: Int32) -> Step {
    switch (self, error) {
    case (.stations(_, let link, let route, _), KernelError.noSuchDevice),
      (.stations(_, let link, let route, _), KernelError.notSupported):
      // The interface has no radio.
      .askGateway(link, route)
    case (.stations, KernelError.noSuchEntry): .familyLost
    case (.neighbour(_, let interface), KernelError.noSuchEntry):
      .found(.wired(gateway: nil, interface))
    case (.link, KernelError.noSuchDevice), (.neighbour, KernelError.noSuchDevice): .askAgain
    default: .failed(errno: error)
    }
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
