import Bytes
import Drivers
import LinuxIO
import Sensing

/// Who is told whether the board is at home.
protocol WhereaboutsOwner: AnyObject {
  func presenceChanged(_ presence: HomeNetworks.Judgement, now: Instant)
}

/// Whether the board is at home, as its network tells. While nothing changes it costs nothing.
final class Whereabouts {
  private let networks: HomeNetworks
  private let reporter: Reporter
  private var network: HomeNetwork?
  private unowned(unsafe) var owner: (any WhereaboutsOwner)?
  private(set) var presence = HomeNetworks.Judgement.unknown

  init(_ networks: HomeNetworks, reporter: Reporter) {
    self.networks = networks
    self.reporter = reporter
  }

  /// Begins to look, and tells `owner`, which outlives this.
  func start(on loop: EventLoop, telling owner: any WhereaboutsOwner, now: Instant) {
    unsafe self.owner = owner
    let network = HomeNetwork(loop: loop, owner: self)
    self.network = network
    network.start(now: now)
  }

  var place: NetworkPlace { network?.place ?? .unknown }

  var deadline: Instant? { network?.deadline }

  func deadlineReached(now: Instant) {
    guard let deadline, now >= deadline else { return }
    network?.deadlineReached(now: now)
  }
}

extension Whereabouts: HomeNetworkOwner {
  func placeChanged() {
    guard let place = network?.place else { return }
    let presence = networks.judgement(of: place)
    guard presence != self.presence else { return }
    self.presence = presence
    reporter.presence(presence, place)
    unsafe owner?.presenceChanged(presence, now: Moment.now.instant)
  }

  func homeNetworkFailed(_ failure: SourceFailure) {
    reporter.sourceFailed(InlineText("network"), failure)
  }

  func homeNetworkRecovered() { reporter.sourceRecovered(InlineText("network")) }
}
