public import Bytes
public import LinuxIO
public import Sensing

/// The temperature of a part on a 1-Wire bus, as the kernel's `w1_therm` reads it
/// (`Documentation/w1/slaves/w1_therm.rst`).
///
/// The kernel lets the part measure while the file is read, which takes up to 0.75 s, and the parts
/// of a bus wait for one another. So the file is read beside the loop. A cycle waits a limited time
/// for it: a later answer is part of the next cycle.
public final class OneWireThermometer {
  public let name: InlineText
  private let temperature: SlowKernelFile
  private let scratchpad: SlowKernelFile
  private var filter: OneWireFilter
  private var sensor: DeclaredSensor
  private let sink: any ReadingSink
  private let supervisor: Supervisor
  private var answer: PendingAnswer

  init(_ settings: OneWireSettings, _ context: SourceContext) {
    let part = context.sys / "bus" / "w1" / "devices" / settings.id
    name = settings.name
    filter = OneWireFilter(of: KernelPart(named: settings.id))
    temperature = SlowKernelFile(part / "temperature", reader: context.reader)
    scratchpad = SlowKernelFile(part / "w1_slave", reader: context.reader)
    answer = PendingAnswer(timeout: context.answerTimeout)
    sensor = DeclaredSensor(
      OneWireSettings.entityKind.description(
        of: settings.entity, uniqueID: uniqueID("one_wire_", settings.id.span)),
      minChange: settings.entity.minChange)
    sink = context.sink
    supervisor = context.supervisor
  }

  private func ask(_ file: SlowKernelFile) {
    do throws(Errno) {
      try file.ask(telling: self)
    } catch {
      fileReadFailed(error, of: file)
    }
  }

  // MARK: Results

  private func measured(_ millidegrees: Int64) {
    let celsius = FixedPoint(millidegrees, decimals: 3).rounded(to: 1)
    sensor.record(.number(celsius), at: answered().wallTime, in: sink)
    supervisor.worked(name)
  }

  private func failed(_ failure: SourceFailure) {
    let moment = answered()
    // A named part is a sensor even before it exists.
    sensor.record(failure.value, at: moment.wallTime, in: sink)
    supervisor.failed(name, failure, now: moment.instant)
  }

  private func answered() -> Moment {
    answer.answered()
    return .now
  }
}

extension OneWireThermometer: Source {
  /// Asks the part, unless its last answer is pending.
  public func sample(at moment: Moment) throws(SourceFailure) {
    if answer.isAwaited {
      guard answer.isOverdue(now: moment.instant) else { return }
      sensor.record(.unavailable, at: moment.wallTime, in: sink)
      throw .silent(name)
    }
    answer.asked(at: moment.instant)
    ask(temperature)
  }

  public var listening: Listening { .open }

  public var deviceKinds: DeviceKinds { .oneWire }

  public var isGathering: Bool { answer.deadline != nil }

  public var shortfall: SourceFailure? { answer.isAwaited ? .silent(name) : nil }

  public var deadline: Instant? { answer.deadline }

  public func deadlineReached(at moment: Moment) {
    answer.deadlineReached(now: moment.instant)
  }
}

extension OneWireThermometer: SlowKernelFileOwner {
  func fileRead(_ text: Span<UInt8>, of file: SlowKernelFile) {
    guard file !== scratchpad else { return scratchpadRead(text) }
    switch filter.answered(text) {
    case .flaw(let words): failed(.malformed(name, found: words))
    case .implausible(let celsius, let range): failed(range.failure(of: name, celsius))
    // A shorted wire reads as zeros, with a right checksum: as 0 °C.
    case .millidegrees(0): ask(scratchpad)
    case .millidegrees(let number): measured(number)
    }
  }

  private func scratchpadRead(_ text: Span<UInt8>) {
    if text.starts(with: "00 00 00 00 00 00 00 00 00") {
      failed(.malformed(name, found: InlineText("only zeros, as from a shorted wire")))
    } else {
      measured(0)
    }
  }

  func fileReadFailed(_ error: Errno, of file: SlowKernelFile) {
    // Without this file of the kernel, 0 °C is believed.
    if file === scratchpad, error == .noSuchFile { return measured(0) }
    failed(SourceFailure(error, of: name))
  }
}
