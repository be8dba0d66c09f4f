import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

/// Who is told whether the board is at home.
protocol WhereaboutsOwner: AnyObject {
  /// It is known now, or another place; or nothing was found out in time, which is told once.
  func presenceChanged(_ presence: HomeNetworks.Judgement, now: Instant)
}

/// Whether the board is at home, as its network tells. While nothing changes it costs nothing.
final class Whereabouts {
  /// How long the first message may wait for the kernel's answers, which come at once, and for a
  /// gateway's.
  private static let patience: Duration = .seconds(3)

  private let networks: HomeNetworks
  private let reporter: Reporter
  private var network: HomeNetwork?
  private unowned(unsafe) var owner: (any WhereaboutsOwner)?
  private(set) var presence = HomeNetworks.Judgement.unknown
  private var looksUntil: Instant?

  init(_ networks: HomeNetworks, reporter: Reporter) {
    self.networks = networks
    self.reporter = reporter
  }

  /// Begins to look, and tells `owner`, which outlives this.
  func start(on loop: EventLoop, telling owner: any WhereaboutsOwner, now: Instant) {
    unsafe self.owner = owner
    looksUntil = now + Self.patience
    let network = HomeNetwork(loop: loop, owner: self)
    self.network = network
    network.start(now: now)
  }

  var place: NetworkPlace { network?.place ?? .unknown }

  /// Whether the board has just started, and where it is may be known in a moment.
  var isLooking: Bool { looksUntil != nil }

  var deadline: Instant? { earliest(network?.deadline, looksUntil) }

  func deadlineReached(now: Instant) {
    if let end = network?.deadline, now >= end { network?.deadlineReached(now: now) }
    if let end = looksUntil, now >= end { tell(now: now) }
  }

  private func tell(now: Instant) {
    looksUntil = nil
    unsafe owner?.presenceChanged(presence, now: now)
  }
}

extension Whereabouts: HomeNetworkOwner {
  func placeChanged() {
    guard let place = network?.place else { return }
    let presence = networks.judgement(of: place)
    guard presence != self.presence else { return }
    self.presence = presence
    reporter.presence(presence, place)
    tell(now: Moment.now.instant)
  }

  func homeNetworkFailed(_ failure: SourceFailure) {
    reporter.sourceFailed(InlineText("network"), failure)
  }

  func homeNetworkRecovered() { reporter.sourceRecovered(InlineText("network")) }
}
