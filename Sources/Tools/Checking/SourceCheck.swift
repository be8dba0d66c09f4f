import Board
import Bytes
import CLinux
import Drivers
import LinuxIO
import Sensing

/// Takes one sample of each source with the agent's own drivers, beside an agent that may be
/// running, and says what came of it.
final class SourceCheck {
  /// How long a receiver may take to a fix.
  static let fixTimeout: Duration = .seconds(30)

  private struct Sensor {
    let description: SensorDescription
    var value: Value?
  }

  private let loop: EventLoop
  private let advice: SourceAdvice
  private let stateDirectory: Path
  private let configuration: Configuration
  /// Whether a person looks on, who is told what is waited for.
  private let isWatched: Bool

  /// They stay: the loop knows them from now on.
  private var sources: [any Source] = []
  private var supervisor: Supervisor?
  /// Those of all sources so far: one that was asked may still say something.
  private var sensors: [Sensor] = []
  private var failures: [(source: InlineText, failure: SourceFailure)] = []
  private var fix: Fix?

  init(_ configuration: Configuration, loop: EventLoop, isWatched: Bool) {
    self.configuration = configuration
    self.loop = loop
    self.isWatched = isWatched
    advice = SourceAdvice(configuration)
    stateDirectory = Path(configuration.stateDirectory)
  }

  /// Tells a finding for each source, or more where it fails in several ways.
  func run(_ tell: (Finding) -> Void) throws(CommandFailure) {
    let supervisor = Supervisor(owner: self)
    self.supervisor = supervisor
    sources = configuration.sources(
      configuration.sourceContext(
        loop: loop, sink: self, supervisor: supervisor, fixTimeout: Self.fixTimeout,
        now: Moment.now.instant))
    for source in sources {
      let first = sensors.count
      failures = []
      fix = nil
      try sample(source)
      for (name, failure) in failures { tell(finding(failure, of: name, source, first)) }
      if let text = whatWasRead(first) {
        tell(.well("source", "\(source.name): \(text)"))
      } else if failures.isEmpty {
        tell(.well("source", "\(source.name): there is none here"))
      }
    }
  }

  // MARK: Sampling

  private func sample(_ source: any Source) throws(CommandFailure) {
    do throws(SourceFailure) {
      try source.sample(at: .now)
    } catch .missing where source.isOptional {
      return
    } catch {
      failures.append((source.name, error))
    }
    let end = Moment.now.instant + Self.fixTimeout
    while source.isGathering {
      let now = Moment.now
      if let deadline = source.deadline, now.instant >= deadline {
        source.deadlineReached(at: now)
        continue
      }
      show("\rwaits for \(source.name), \(wholeSeconds: end - now.instant) at most ")
      let next = isWatched ? now.instant + .seconds(1) : nil
      try loop.wait(until: earliest(next, source.deadline))
    }
    show("\r\u{1B}[K")
    if failures.isEmpty, let shortfall = source.shortfall {
      failures.append((source.name, shortfall))
    }
  }

  private func show(_ text: MessageText) {
    if isWatched { writeToTerminal(text.bytes, STDOUT_FILENO) }
  }

  // MARK: What came of it

  private func whatWasRead(_ first: Int) -> MessageText? {
    var text: MessageText = ""
    for sensor in sensors[first...] {
      guard let value = sensor.value, value != .unavailable else { continue }
      let words: MessageText =
        "\(bytes: sensor.description.name) \(value.words(in: sensor.description.unit))"
      text = text.bytes.isEmpty ? words : "\(text), \(words)"
    }
    if let fix {
      text = "a fix"
      if let error = fix.horizontalErrorMeters.flatMap({ FixedPoint(rounding: $0, decimals: 0) }) {
        text = "\(text), ±\(Value.number(error).words(in: [UInt8]("m")))"
      }
    }
    return text.bytes.isEmpty ? nil : text
  }

  private func finding(
    _ failure: SourceFailure, of name: InlineText, _ source: any Source, _ first: Int
  ) -> Finding {
    var words = failure.words(of: name)
    if case .busy = failure, let holder = source.holder {
      if holder == InlineText("homeward"), let known = whatTheAgentReads(source, first) {
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

  /// Who has to do something.
  private func culprit(of failure: SourceFailure, of source: InlineText) -> Finding.Culprit {
    switch failure {
    // What was named and is not there was perhaps named wrong.
    case .missing where advice.isNamedByPerson(source): .configuration
    case .ambiguous: .configuration
    default: .board
    }
  }

  /// A line belongs to one program: where that is the agent, it knows the level.
  private func whatTheAgentReads(_ source: any Source, _ first: Int) -> Finding? {
    guard first < sensors.count,
      let status = try? StatusClient(stateDirectory: stateDirectory).run(),
      let words = status.words(ofSensor: sensors[first].description.uniqueID)
    else { return nil }
    return .well("source", "\(source.name): \(words), as the agent that runs reads it")
  }
}

extension SourceCheck: ReadingSink {
  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    sensors.append(Sensor(description: sensor))
    return SensorIndex(sensors.count - 1)
  }

  func record(_ reading: Reading) { sensors[reading.sensor.value].value = reading.value }

  func record(_ fix: Fix) { self.fix = fix }
}

extension SourceCheck: SupervisorOwner {
  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    failures.append((source, failure))
  }

  func sourceRecovered(_ source: InlineText) {}

  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {}
}
