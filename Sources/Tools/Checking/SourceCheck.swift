import Board
import Bytes
import CLinux
import Drivers
import LinuxIO
import Sensing

/// Check that takes one sample of each source with the agent's own drivers, while an agent may be
/// running.
final class SourceCheck {
  /// Maximum time to the fix of a receiver or the answer of a device.
  static let answerTimeout: Duration = .seconds(30)

  private let sampler: SourceSampler
  private let advice: SourceAdvice
  private let stateDirectory: Path
  private let configuration: Configuration

  /// Time that each source took to be read, on a line for each.
  private(set) var times: MessageText = ""
  /// Values that were read from files of the person, which may contain anything.
  private(set) var personal: [[UInt8]] = []

  init(_ configuration: Configuration, loop: EventLoop, isWatched: Bool) {
    self.configuration = configuration
    sampler = SourceSampler(
      loop: loop, timeout: Self.answerTimeout, screen: isWatched ? STDOUT_FILENO : nil)
    advice = SourceAdvice(configuration)
    stateDirectory = Path(configuration.stateDirectory)
  }

  /// Reports one finding for each source, or several if it fails in several ways.
  func run(_ tell: (Finding) -> Void) throws(CommandFailure) {
    for source in configuration.sources(sampler.context(of: configuration)) {
      let begin = Moment.now.instant
      let sample = try sampler.sample(source)
      times = "\(times)\(source.name): \(Moment.now.instant - begin)\n"
      keepPersonal(sample)
      for (name, failure) in sample.failures { tell(finding(failure, of: name, source, sample)) }
      if let text = sample.words(without: [UInt8](source.name.bytes)) {
        tell(.well("source", "\(source.name): \(text)"))
      } else if sample.failures.isEmpty {
        let isAbsent = source.isOptional || source.name == Supplies.usualName
        let words: StaticString = isAbsent ? "not found on this board" : "no value now"
        tell(.well("source", "\(source.name): \(words)"))
      }
    }
    if let anchor = configuration.location?.anchor, anchor.line == nil { tell(watchWithoutLine) }
  }

  private func keepPersonal(_ sample: SourceSample) {
    for sensor in sample.sensors {
      let isFile = configuration.sensors.contains {
        guard case .file = $0.input else { return false }
        return $0.entry.name == sensor.description.name
      }
      guard isFile, let value = sensor.value else { continue }
      personal.append(value.words(in: sensor.description.unit).bytes)
    }
  }

  /// Finding about an anchor watch without a line, which is not a source of its own.
  private var watchWithoutLine: Finding {
    guard let status = try? StatusClient(stateDirectory: stateDirectory).run(),
      let words = status.anchorWords
    else { return .well("source", "anchor: command_anchor sets the watch and clears it") }
    return .well("source", "anchor: the running agent reports: \(words)")
  }

  // MARK: What came of it

  private func finding(
    _ failure: SourceFailure, of name: InlineText, _ source: any Source,
    _ sample: SourceSample
  ) -> Finding {
    var words = failure.words(of: name)
    if case .busy = failure, let holder = source.holder {
      if holder == InlineText("homeward"), let known = whatTheAgentReads(source, sample) {
        return known
      }
      words = "\(words): \(holder)"
    }
    var remedy = advice.remedy(for: failure, of: name)
    if case .notPermitted = failure { remedy = Arguments.commandWithSudo }
    return .wrong(
      "source", failure.code, culprit(of: failure, of: name), .inputOutput, words,
      remedy: remedy)
  }

  private func culprit(of failure: SourceFailure, of source: InlineText) -> Finding.Culprit {
    switch failure {
    // A missing device may have a wrong name in the configuration.
    case .missing where advice.isNamedByPerson(source): .configuration
    case .ambiguous: .configuration
    default: .board
    }
  }

  /// Returns the finding from the status of the agent: a line belongs to one program, and if that
  /// is the agent, only the agent knows the level.
  private func whatTheAgentReads(_ source: any Source, _ sample: SourceSample) -> Finding? {
    guard let sensor = sample.sensors.first,
      let status = try? StatusClient(stateDirectory: stateDirectory).run()
    else { return nil }
    if source.name == configuration.location?.anchor?.line?.name, let words = status.anchorWords {
      return .well("source", "\(source.name): the running agent's anchor watch reports: \(words)")
    }
    guard let words = status.words(ofSensor: sensor.description.uniqueID) else { return nil }
    return .well("source", "\(source.name): \(words), read by the running agent")
  }
}
