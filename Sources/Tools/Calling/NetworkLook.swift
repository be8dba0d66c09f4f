import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// Single question to the kernel about the network of the board.
final class NetworkLook: HomeNetworkOwner {
  /// Maximum time for the kernel to report the network, and for a gateway to answer.
  static let timeout: Duration = NetworkMonitor.gatewayTimeout + .seconds(1)

  private let loop: EventLoop
  private var network: HomeNetwork?
  private(set) var failure: SourceFailure?

  init(loop: EventLoop) { self.loop = loop }

  /// Whether the place stays as it is, unless the network changes.
  var isSettled: Bool { network?.isSettled == true }

  /// Returns the place as soon as it `isEnough`, or as far as it is known at `end`.
  func place(
    to goal: NetworkGoal?, until end: Instant, _ isEnough: (NetworkPlace) -> Bool
  ) throws(CommandFailure) -> NetworkPlace {
    let network = HomeNetwork(loop: loop, owner: self, to: goal)
    self.network = network
    network.start(now: Moment.now.instant)
    while !isEnough(network.place), failure == nil, Moment.now.instant < end {
      try loop.wait(until: earliest(network.deadline, end))
      network.deadlineReached(now: Moment.now.instant)
    }
    network.stop()
    self.network = nil
    return network.place
  }

  func placeChanged() {}
  func homeNetworkFailed(_ failure: SourceFailure) { self.failure = failure }
  func homeNetworkRecovered() {}
}

/// Network of the board, and the address of Home Assistant that applies there.
struct NetworkHere {
  private let settings: Configuration.HomeAssistantSettings
  private let networks: HomeNetworks
  let place: NetworkPlace

  /// Asks for the network; nil if the configuration does not say which networks are home.
  init?(_ settings: Configuration.HomeAssistantSettings, loop: EventLoop) throws(CommandFailure) {
    guard let networks = settings.server.home?.networks else { return nil }
    self.settings = settings
    self.networks = networks
    let look = NetworkLook(loop: loop)
    place = try look.place(
      to: settings.networkGoal, until: Moment.now.instant + NetworkLook.timeout
    ) {
      if case .silent = $0 { return true }
      return switch networks.presence(at: $0) {
      case .home: true
      // The gateway of the home may still answer.
      case .away: look.isSettled
      case .unknown: false
      }
    }
  }

  var presence: HomeNetworks.Presence { networks.presence(at: place) }

  /// Address that the agent uses first from here.
  var url: [UInt8] {
    presence == .home ? settings.server.home?.url ?? settings.url : settings.url
  }
}

extension Configuration.HomeAssistantSettings {
  /// Returns the address that the agent uses first from here.
  func urlHere(loop: EventLoop) throws(CommandFailure) -> [UInt8] {
    guard let home = server.home?.url, home != url else { return url }
    return try NetworkHere(self, loop: loop)?.url ?? url
  }

  /// Returns the address for a login, a password or a key. A network with the name of the one at
  /// home may be an attacker's, so if `url` has TLS, no other address is allowed.
  func urlForSecrets(loop: EventLoop) throws(CommandFailure) -> [UInt8] {
    try urlForSecrets { () throws(CommandFailure) in try urlHere(loop: loop) }
  }

  func urlForSecrets(
    _ urlHere: () throws(CommandFailure) -> [UInt8]
  ) throws(CommandFailure) -> [UInt8] {
    url.span.starts(with: "https://") ? url : try urlHere()
  }
}
