import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

/// Holds the outputs safe before the agent begins its work: the last run may have left one on, and
/// a pump must not run while this one waits, or if it cannot begin at all.
///
/// Each line is requested with its safe level, and held until the work takes it over or the run
/// ends. A line that is not available is requested again.
final class HeldOutputs: ReadingSink, SupervisorOwner {
  /// Time between two attempts to get the missing lines.
  static let retryInterval: Duration = .seconds(2)

  private let log: Log
  private lazy var supervisor = Supervisor(owner: self)
  private var outputs: [GPIOOutput] = []
  /// Failures that were not logged yet; the work logs its own.
  private var untold: [MessageText] = []

  /// `log` gets the lines that cannot be held.
  init(telling log: Log) { self.log = log }

  /// Holds the lines of these outputs, and releases all others.
  func hold(_ settings: [OutputSettings]) {
    let former = outputs
    outputs = settings.map { GPIOOutput($0, sink: self, supervisor: supervisor) }
    handOver(to: outputs, from: former)
    retry()
  }

  /// Hands the lines over to the outputs of the work. Lines that it does not have go back to the
  /// kernel.
  func handOver(to others: [GPIOOutput]) {
    handOver(to: others, from: outputs)
    outputs = []
    untold = []
  }

  private func handOver(to others: [GPIOOutput], from former: [GPIOOutput]) {
    for output in former where !others.contains(where: { $0.takeLine(of: output) }) {
      output.stop(at: .now)
    }
  }

  /// Requests the missing lines again.
  func retry() {
    for output in outputs where !output.isHeld { output.sample(at: .now) }
  }

  /// Time of the next request; nil if all lines are held.
  func deadline(now: Instant) -> Instant? {
    outputs.contains { !$0.isHeld } ? now + Self.retryInterval : nil
  }

  /// Logs the lines that cannot be held, if the work does not.
  func tell() {
    for words in untold { log.warning(words) }
    untold = []
  }

  /// Releases the lines to the kernel, safe, at the end of the run.
  func release() {
    tell()
    for output in outputs { output.stop(at: .now) }
    outputs = []
  }

  // The work reports the outputs.
  func declare(_ sensor: SensorDescription) -> SensorIndex? { SensorIndex(0) }
  func record(_ reading: Reading) {}
  func record(_ fix: Fix) {}

  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    untold.append(failure.words(of: source))
  }

  func sourceRecovered(_ source: InlineText) {}
  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {}
}
