import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

/// What one sample of a source brought.
struct SourceSample {
  struct Sensor {
    let description: SensorDescription
    var value: Value?

    /// Whether it is of a battery that is judged by other sensors.
    fileprivate var isJudgement: Bool {
      description.uniqueID.span.starts(with: "supply_estimated_battery_")
    }
  }

  /// Those that the source made known.
  let sensors: [Sensor]
  let fix: Fix?
  let failures: [(source: InlineText, failure: SourceFailure)]

  /// Whether a value or a fix was read.
  var hasValue: Bool {
    fix != nil
      || sensors.contains {
        switch $0.value {
        case .number, .boolean, .text: true
        case .unknown, .unavailable, nil: false
        }
      }
  }

  /// What was read, such as `Bilge off` or `a fix, ±5 m`; nil where nothing was. What the names of
  /// the sensors begin with is left out.
  func words(without name: [UInt8] = []) -> MessageText? {
    var text: MessageText = ""
    for sensor in sensors {
      guard let value = sensor.value, value != .unavailable else { continue }
      let rest = sensor.description.name(without: name)
      let words = value.words(in: sensor.description.unit)
      let separator: StaticString = text.bytes.isEmpty ? "" : ", "
      text = "\(text)\(separator)\(bytes: rest)\(words)"
    }
    if let fix {
      text = "a fix"
      if let error = fix.horizontalErrorMeters.flatMap({ FixedPoint(rounding: $0, decimals: 0) }) {
        text = "\(text), ±\(Value.number(error).words(in: [UInt8]("m")))"
      }
    }
    return text.bytes.isEmpty ? nil : text
  }
}

extension SensorDescription {
  /// The name with a space behind it, without a beginning; nothing where there is no more of it.
  fileprivate func name(without beginning: [UInt8]) -> [UInt8] {
    let space = UInt8(ascii: " ")
    guard !beginning.isEmpty, name.starts(with: beginning) else { return name + [space] }
    let rest = name.dropFirst(beginning.count)
    if rest.isEmpty { return [] }
    // Not the begin of another word.
    guard rest.first == space || rest.first == UInt8(ascii: ",") else { return name + [space] }
    return [UInt8](rest.drop { $0 == space || $0 == UInt8(ascii: ",") }) + [space]
  }
}

/// Takes samples of sources with the agent's own drivers, beside an agent that may be running.
/// Nothing is changed by it: no output is switched.
final class SourceSampler {
  private let loop: EventLoop
  /// How long a source may take.
  private let timeout: Duration
  /// The terminal of a person who is told what is waited for; nil where none looks on.
  private let screen: Int32?

  private var supervisor: Supervisor?
  /// They stay: the loop knows them from now on.
  private var sources: [any Source] = []
  /// Those of all sources so far: one that was asked may still say something.
  private var sensors: [SourceSample.Sensor] = []
  private var failures: [(source: InlineText, failure: SourceFailure)] = []
  private var fix: Fix?

  init(loop: EventLoop, timeout: Duration, screen: Int32?) {
    self.loop = loop
    self.timeout = timeout
    self.screen = screen
  }

  /// What sources are made with that are sampled here.
  func context(of configuration: Configuration) -> SourceContext {
    let supervisor = Supervisor(owner: self)
    self.supervisor = supervisor
    return configuration.sourceContext(
      loop: loop, sink: self, supervisor: supervisor, cycle: configuration.every,
      answerTimeout: timeout, now: Moment.now.instant, changesNothing: true)
  }

  /// Asks a source once, and waits for what it is waiting for.
  func sample(_ source: any Source) throws(CommandFailure) -> SourceSample {
    sources.append(source)
    let first = sensors.count
    failures = []
    fix = nil
    try ask(source)
    // What a battery is judged by comes from other sources, while these are asked.
    let isJudge = source.name == InlineText("battery")
    let sensors = isJudge ? sensors[...] : sensors[first...]
    return SourceSample(
      sensors: sensors.filter { $0.isJudgement == isJudge }, fix: fix, failures: failures)
  }

  private func ask(_ source: any Source) throws(CommandFailure) {
    show("\rreading \(source.name) ")
    defer { show("\r\u{1B}[K") }
    do throws(SourceFailure) {
      try source.sample(at: .now)
    } catch .missing where source.isOptional {
      return
    } catch {
      failures.append((source.name, error))
    }
    let end = Moment.now.instant + timeout
    while source.isGathering {
      let now = Moment.now
      if let deadline = source.deadline, now.instant >= deadline {
        source.deadlineReached(at: now)
        continue
      }
      show("\rwaiting for \(source.name), at most \(wholeSeconds: end - now.instant) ")
      let next = screen != nil ? now.instant + .seconds(1) : nil
      try loop.wait(until: earliest(next, source.deadline))
    }
    if failures.isEmpty, let shortfall = source.shortfall {
      failures.append((source.name, shortfall))
    }
  }

  private func show(_ text: MessageText) {
    if let screen { writeToTerminal(text.bytes, screen) }
  }
}

extension SourceSampler: ReadingSink {
  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    sensors.append(SourceSample.Sensor(description: sensor))
    return SensorIndex(sensors.count - 1)
  }

  func record(_ reading: Reading) { sensors[reading.sensor.value].value = reading.value }

  func record(_ fix: Fix) { self.fix = fix }
}

extension SourceSampler: SupervisorOwner {
  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    failures.append((source, failure))
  }

  func sourceRecovered(_ source: InlineText) {}

  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {}
}
