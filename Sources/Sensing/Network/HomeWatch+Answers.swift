import Bytes

/// Error numbers of Linux that the kernel answers with.
private enum KernelError {
  static let operationNotPermitted: Int32 = 1
  static let noSuchEntry: Int32 = 2
  static let notPermitted: Int32 = 13
  static let busy: Int32 = 16
  static let noSuchDevice: Int32 = 19
  static let notSupported: Int32 = 95
}

extension HomeWatch {
  // MARK: Announcements

  /// A message that nobody asked for.
  mutating func announced(
    _ message: borrowing NetlinkMessage, on netlink: NetlinkProtocol, now: Instant
  ) throws(NetlinkError) {
    switch netlink {
    case .generic: try radioAnnounced(message, now: now)
    case .route: try routesAnnounced(message, now: now)
    }
  }

  private mutating func radioAnnounced(
    _ message: borrowing NetlinkMessage, now: Instant
  ) throws(NetlinkError) {
    guard isWireless(message.type), let change = try AssociationChange(message) else { return }
    // Another radio of the machine is of no interest.
    if change.interface == nil || change.interface == radioInterface { changed(now: now) }
  }

  private mutating func routesAnnounced(
    _ message: borrowing NetlinkMessage, now: Instant
  ) throws(NetlinkError) {
    switch message.type {
    case RouteNetlink.MessageType.newRoute:
      let (header, byteCount) = (message.payload, RouteNetlink.Route.byteCount)
      guard header.count >= byteCount else { throw .truncated }
      // Only routes to everywhere.
      if header[1] == 0 { changed(now: now) }
    case RouteNetlink.MessageType.deleteRoute:
      // With the last address of an interface, the kernel drops the default route over it and
      // announces only that those are gone which came with the address.
      changed(now: now)
    case RouteNetlink.MessageType.newLink:
      // An interface that goes down takes its routes with it, and they are not announced.
      if try !LinkMessage(message).isOfRadio { changed(now: now) }
    case RouteNetlink.MessageType.deleteLink: changed(now: now)
    case RouteNetlink.MessageType.newNeighbour:
      try gatewayAnswered(NeighbourMessage(message), now: now)
    default: break
    }
  }

  private mutating func gatewayAnswered(_ neighbour: NeighbourMessage, now: Instant) {
    guard case .resting = state, let awaited, let found = neighbour.hardwareAddress,
      neighbour.interface == awaited.interface.index, neighbour.address == awaited.gateway
    else { return }
    gatewayFound()
    finish(.wired(gateway: found, awaited.interface), now: now)
  }

  // MARK: Answers

  /// A message that belongs to the question that is open.
  mutating func answered(
    _ message: borrowing NetlinkMessage, on netlink: NetlinkProtocol, now: Instant
  ) throws(NetlinkError) {
    guard case .asking(let question, let until) = state, question.netlink == netlink else { return }
    if message.flags & Netlink.Flag.dumpInterrupted != 0 { isInterrupted = true }
    switch message.type {
    case Netlink.MessageType.error, Netlink.MessageType.done:
      let error = try message.errorNumber()
      if error != 0 {
        refused(question, error, until: until, now: now)
      } else if isInterrupted {
        gather(now: now)
      } else {
        ended(question, until: until, now: now)
      }
    default: try take(message, for: question, until: until, now: now)
    }
  }

  /// One entry of a list, or the whole answer.
  private mutating func take(
    _ message: borrowing NetlinkMessage, for question: Question, until: Instant, now: Instant
  ) throws(NetlinkError) {
    switch (question, message.type) {
    case (.routes, RouteNetlink.MessageType.newRoute):
      guard let route = try DefaultRoute(message) else { return }
      if foundRoute.map({ route.metric < $0.metric }) ?? true { foundRoute = route }
    case (.link(let route), RouteNetlink.MessageType.newLink):
      let link = try LinkMessage(message)
      guard link.interface.index == route.interface else { return }
      if link.isEthernet {
        askRadio(link, route, until: until)
      } else {
        finish(.elsewhere(link.interface), now: now)
      }
    case (.families, GenericNetlink.controller):
      if let family = try WirelessFamily(message) { foundFamily = family }
    case (.stations, _) where isWireless(message.type):
      if foundNetwork == nil { foundNetwork = try WirelessNetwork(associatedIn: message) }
    case (.neighbour(let gateway, let interface), RouteNetlink.MessageType.newNeighbour):
      let neighbour = try NeighbourMessage(message)
      guard neighbour.address == gateway, neighbour.interface == interface.index else { return }
      if neighbour.hardwareAddress != nil { gatewayFound() }
      finish(.wired(gateway: neighbour.hardwareAddress, interface), now: now)
    default: break
    }
  }

  /// The end of a list.
  private mutating func ended(_ question: Question, until: Instant, now: Instant) {
    switch question {
    case .routes(let family):
      if let foundRoute {
        ask(.link(foundRoute), until: until)
      } else if family == .ipv4 {
        ask(.routes(.ipv6), until: until)
      } else {
        finish(.none, now: now)
      }
    case .families(let link, let route):
      familyFound(foundFamily)
      if let foundFamily {
        ask(.stations(foundFamily, link, route), until: until)
      } else {
        askGateway(link, route, until: until, now: now)
      }
    case .stations(_, let link, _):
      if let foundNetwork {
        finish(.wireless(foundNetwork, link.interface), now: now)
      } else {
        finish(.elsewhere(link.interface), now: now)
      }
    // Their answer is one message.
    case .link, .neighbour: break
    }
  }

  private mutating func refused(
    _ question: Question, _ error: Int32, until: Instant, now: Instant
  ) {
    switch (question, error) {
    case (.stations(_, let link, let route), KernelError.noSuchDevice),
      (.stations(_, let link, let route), KernelError.notSupported):
      // It is no radio.
      askGateway(link, route, until: until, now: now)
    case (.stations, KernelError.noSuchEntry):
      // The family is gone, with its module.
      familyLost()
      gather(now: now)
    case (.neighbour(_, let interface), KernelError.noSuchEntry):
      finish(.wired(gateway: nil, interface), now: now)
    case (.link, KernelError.noSuchDevice), (.neighbour, KernelError.noSuchDevice):
      // It has gone since its route was found.
      gather(now: now)
    case (_, KernelError.operationNotPermitted), (_, KernelError.notPermitted):
      failed(.notPermitted(name), now: now)
    case (_, KernelError.busy): failed(.busy(name), now: now)
    default: failed(.failed(name, errno: error), now: now)
    }
  }

  private mutating func askGateway(
    _ link: LinkMessage, _ route: DefaultRoute, until: Instant, now: Instant
  ) {
    guard let gateway = route.gateway else { return finish(.elsewhere(link.interface), now: now) }
    awaitGateway(gateway, over: link.interface)
    ask(.neighbour(gateway, link.interface), until: until)
  }

  mutating func malformed(_ error: NetlinkError, now: Instant) {
    let found =
      switch error {
      case .truncated: InlineText("a message that is cut off")
      case .badLength: InlineText("a length that cannot be")
      }
    failed(.malformed(name, found: found), now: now)
  }
}
