import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

/// The outputs of an agent that has not begun its work: the last run may have left one on, and a
/// pump must not run while this one waits, or where it cannot begin at all.
///
/// Each line is asked for with its safe level, and held until the work takes it over or the run
/// ends. One that cannot be had is asked for again.
final class HeldOutputs: ReadingSink, SupervisorOwner {
  /// From one attempt to get the missing lines to the next.
  static let retryInterval: Duration = .seconds(2)

  private let log: Log
  private lazy var supervisor = Supervisor(owner: self)
  private var outputs: [GPIOOutput] = []
  /// What was not told yet: the work tells it itself.
  private var untold: [MessageText] = []

  /// `log` hears which lines cannot be held.
  init(telling log: Log) { self.log = log }

  /// Holds these, and no others.
  func hold(_ settings: [OutputSettings]) {
    let former = outputs
    outputs = settings.map { GPIOOutput($0, sink: self, supervisor: supervisor) }
    handOver(to: outputs, from: former)
    retry()
  }

  /// Gives the outputs of the work their lines. Those that it does not have go back to the kernel.
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

  /// Asks for the lines that are missing.
  func retry() {
    for output in outputs where !output.isHeld { output.sample(at: .now) }
  }

  /// When to ask again; nil where all are held.
  func deadline(now: Instant) -> Instant? {
    outputs.contains { !$0.isHeld } ? now + Self.retryInterval : nil
  }

  /// Tells which lines cannot be held, where the work does not.
  func tell() {
    for words in untold { log.warning(words) }
    untold = []
  }

  /// The run ends: the lines go back to the kernel, safe.
  func release() {
    tell()
    for output in outputs { output.stop(at: .now) }
    outputs = []
  }

  // What they are is told by the work.
  func declare(_ sensor: SensorDescription) -> SensorIndex? { SensorIndex(0) }
  func record(_ reading: Reading) {}
  func record(_ fix: Fix) {}

  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    untold.append(failure.words(of: source))
  }

  func sourceRecovered(_ source: InlineText) {}
  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {}
}
