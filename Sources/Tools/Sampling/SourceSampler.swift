import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

struct SourceSample {
  struct Sensor {
    let description: SensorDescription
    var value: Value?

    /// Whether it is of a battery that other sensors judge.
    fileprivate var isJudgement: Bool {
      description.uniqueID.span.starts(with: "supply_estimated_battery_")
    }
  }

  let sensors: [Sensor]
  let fix: Fix?
  let failures: [(source: InlineText, failure: SourceFailure)]

  var hasValue: Bool {
    fix != nil
      || sensors.contains {
        switch $0.value {
        case .number, .boolean, .text: true
        case .unknown, .unavailable, nil: false
        }
      }
  }

  /// Returns the values in words, such as `Bilge off` or `a fix, ±5 m`; nil if there are none. The
  /// names of the sensors are shown without the beginning `name`.
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
  /// Returns the name and a space, without `beginning`; empty if nothing else is left of it.
  fileprivate func name(without beginning: [UInt8]) -> [UInt8] {
    let space = UInt8(ascii: " ")
    guard !beginning.isEmpty, name.starts(with: beginning) else { return name + [space] }
    let rest = name.dropFirst(beginning.count)
    if rest.isEmpty { return [] }
    // It may be the begin of another word.
    guard rest.first == space || rest.first == UInt8(ascii: ",") else { return name + [space] }
    return [UInt8](rest.drop { $0 == space || $0 == UInt8(ascii: ",") }) + [space]
  }
}

/// Sampler of sources with the agent's own drivers, while an agent may be running. It changes
/// nothing: no output is switched.
final class SourceSampler {
  private let loop: EventLoop
  private let timeout: Duration
  /// Terminal of a person who sees the progress; nil if there is none.
  private let screen: Int32?

  private var supervisor: Supervisor?
  /// Retained because the loop refers to them.
  private var sources: [any Source] = []
  /// Sensors of all sources so far: an earlier source may still report a value.
  private var sensors: [SourceSample.Sensor] = []
  private var failures: [(source: InlineText, failure: SourceFailure)] = []
  private var fix: Fix?

  init(loop: EventLoop, timeout: Duration, screen: Int32?) {
    self.loop = loop
    self.timeout = timeout
    self.screen = screen
  }

  func context(of configuration: Configuration) -> SourceContext {
    let supervisor = Supervisor(owner: self)
    self.supervisor = supervisor
    return configuration.sourceContext(
      loop: loop, sink: self, supervisor: supervisor, cycle: configuration.every,
      answerTimeout: timeout, now: Moment.now.instant, changesNothing: true)
  }

  func sample(_ source: any Source) throws(CommandFailure) -> SourceSample {
    sources.append(source)
    let first = sensors.count
    failures = []
    fix = nil
    try ask(source)
    // The estimates for a battery come from other sources, while these are asked.
    let isJudge = source.name == EstimatedBatterySettings.sourceName
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
