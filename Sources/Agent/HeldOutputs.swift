import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

/// The outputs of an agent that waits before it begins: the last run may have left one on, and a
/// pump must not run while this one waits.
///
/// Each line is asked for with its safe level at once, and held until `release`. What is wrong with
/// the configuration is told by the run that follows.
final class HeldOutputs: ReadingSink, SupervisorOwner {
  private let log: Log
  private var outputs: [GPIOOutput] = []

  /// `file` is the configuration, and `log` hears which line cannot be held.
  init(of file: [UInt8], telling log: Log) {
    self.log = log
    guard let configuration = try? Configuration.read(from: file) else { return }
    let supervisor = Supervisor(owner: self)
    for settings in configuration.findingLines(warning: { _ in }).outputs {
      let output = GPIOOutput(settings, sink: self, supervisor: supervisor)
      output.sample(at: .now)
      outputs.append(output)
    }
  }

  /// Gives the lines back, for the run to ask for them.
  func release() {
    for output in outputs { output.stop(at: .now) }
    outputs = []
  }

  // What they are is told by the run.
  func declare(_ sensor: SensorDescription) -> SensorIndex? { SensorIndex(0) }
  func record(_ reading: Reading) {}
  func record(_ fix: Fix) {}

  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    log.warning("\(failure.words(of: source))")
  }

  func sourceRecovered(_ source: InlineText) {}
  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {}
}
