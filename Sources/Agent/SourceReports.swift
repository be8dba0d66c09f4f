import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// Receiver of the other reports of the sources and the network: failures go to the reporter, the
/// place to the uplink. It also knows the failing sources.
final class SourceReports {
  private let driver: UplinkDriver
  private let reporter: Reporter
  private(set) var failing = FailingSources()
  /// Nil in a run with an end whose configuration names no home networks.
  private var network: HomeNetwork?

  init(driver: UplinkDriver, reporter: Reporter) {
    self.driver = driver
    self.reporter = reporter
  }

  /// Watches the network of the board. This outlives `loop`.
  func watchNetwork(on loop: EventLoop, to goal: NetworkGoal?, now: Instant) {
    let network = HomeNetwork(loop: loop, owner: self, to: goal)
    self.network = network
    network.start(now: now)
  }

  var deadline: Instant? { network?.deadline }

  func deadlineReached(now: Instant) { network?.deadlineReached(now: now) }
}

extension SourceReports: SupervisorOwner {
  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    failing.failed(source, failure, now: Moment.now.instant)
    reporter.sourceFailed(source, failure)
  }

  func sourceRecovered(_ source: InlineText) {
    failing.recovered(source)
    reporter.sourceRecovered(source)
  }

  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {
    reporter.receiverChosen(source, receiver)
  }
}

extension SourceReports: AnchorAlarmOwner {
  func anchorChanged(_ status: AnchorMonitor.Status) { reporter.anchorChanged(status) }
}

extension SourceReports: HomeNetworkOwner {
  func placeChanged() { if let network { driver.placeChanged(network.place) } }

  func homeNetworkFailed(_ failure: SourceFailure) {
    sourceFailed(InlineText("network"), failure)
  }

  func homeNetworkRecovered() { sourceRecovered(InlineText("network")) }
}
