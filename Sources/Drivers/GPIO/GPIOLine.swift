public import Bytes
import CGPIOD
import CLinux
public import LinuxIO
public import Sensing

/// One GPIO line as a binary sensor: its edges as they come, debounced, with the kernel's own
/// timestamps.
///
/// `LineInput` decides what is believed.
public final class GPIOLine {
  public let name: InlineText
  private let settings: GPIOLineSettings
  private let devices: Path
  private let loop: EventLoop
  private let sink: any ReadingSink
  private let supervisor: Supervisor

  private var sensor: DeclaredSensor
  private var input: LineInput
  private var request: GPIOLineRequest?
  private var watch: Watch?

  /// - Parameters:
  ///   - settings: which line, and what it means.
  ///   - devices: where the devices of the chips are.
  ///   - loop: who tells that there are edges.
  ///   - sink: where the levels go.
  ///   - supervisor: who hears that the line works or fails.
  public init(
    _ settings: GPIOLineSettings, devices: Path = Path("/dev"), loop: EventLoop,
    sink: any ReadingSink, supervisor: Supervisor
  ) {
    self.settings = settings
    self.devices = devices
    self.loop = loop
    self.sink = sink
    self.supervisor = supervisor
    name = settings.name
    input = Self.makeInput(settings)
    sensor = DeclaredSensor(
      GPIOLineSettings.entityKind.description(
        of: settings.entity, uniqueID: settings.address.uniqueID, isUrgent: settings.isUrgent))
  }

  private static func makeInput(_ settings: GPIOLineSettings) -> LineInput {
    LineInput(format: GPIOLineRequest.eventFormat, debounce: settings.debounce)
  }

  // MARK: The line

  private func open(at moment: Moment) throws(SourceFailure) {
    let place = try GPIOLinePlace(of: settings.address, named: name, in: devices)
    do throws(Errno) {
      let request = try GPIOLineRequest(
        place, isActiveLow: settings.isActiveLow, bias: settings.bias)
      watch = try loop.watch(request.events.number, for: .input, telling: self)
      self.request = consume request
    } catch .noSuchDevice, Errno(code: ENXIO) {
      throw .unsupported(name, remedy: "choose a line whose chip can report edges")
    } catch {
      throw SourceFailure(error, of: name)
    }
    input = Self.makeInput(settings)
    try readLevel(at: moment)
    supervisor.worked(name)
  }

  private func close() {
    if let watch { loop.stop(watch) }
    watch = nil
    request = nil
  }

  private func readLevel(at moment: Moment) throws(SourceFailure) {
    do throws(Errno) {
      guard let level = try request?.level() else { return }
      record(input.levelRead(level, now: moment.instant), at: moment)
    } catch {
      throw SourceFailure(error, of: name)
    }
  }

  private func readEvents(_ readiness: Readiness, at moment: Moment) throws(SourceFailure) {
    do throws(Errno) {
      let result = try request?.events.read(into: &input.buffer)
      if result == .wouldBlock, readiness.isDisjoint(with: .failure) { return }
      // A line that hangs up without another word is one whose chip has gone.
      guard case .bytes = result else { throw .noSuchDevice }
    } catch {
      throw SourceFailure(error, of: name)
    }
    do throws(LineEventError) {
      let isIncomplete = try input.eventsRead(now: moment.instant) { settled in
        record(settled, at: moment)
      }
      guard isIncomplete else { return }
    } catch {
      throw .malformed(name, found: error.words)
    }
    try readLevel(at: moment)
  }

  // MARK: What comes of it

  /// Records a level with the time at which the line came to it.
  private func record(_ settled: Debouncer.Settled?, at moment: Moment) {
    guard let settled else { return }
    sensor.record(
      .boolean(settled.level == .active), at: moment.wallTime - (moment.instant - settled.since),
      in: sink)
  }

  private func attempt(
    at moment: Moment, _ body: () throws(SourceFailure) -> Void
  ) {
    do throws(SourceFailure) {
      try body()
    } catch {
      failed(error, at: moment)
    }
  }

  private func failed(_ failure: SourceFailure, at moment: Moment) {
    close()
    sensor.record(failure.value, at: moment.wallTime, in: sink)
    supervisor.failed(name, failure, now: moment.instant)
  }
}

extension GPIOLine: Source {
  /// Opens the line where it is not; else reads its level, in case an edge was lost or its chip
  /// went without a word.
  public func sample(at moment: Moment) {
    attempt(at: moment) { () throws(SourceFailure) in
      if request != nil { try readLevel(at: moment) } else { try open(at: moment) }
    }
  }

  public var listening: Listening { request != nil ? .open : .closed }

  public var deadline: Instant? { request != nil ? input.deadline : nil }

  public func deadlineReached(at moment: Moment) {
    record(input.deadlineReached(now: moment.instant), at: moment)
  }
}

extension GPIOLine {
  /// The name by which the program that holds the line asked the kernel for it; nil where
  /// none did, or the name is not known.
  public var holder: InlineText? {
    // `GPIO_MAX_NAME_SIZE` of linux/gpio.h
    var consumer = [UInt8](repeating: 0, count: 32)
    do throws(SourceFailure) {
      let place = try GPIOLinePlace(of: settings.address, named: name, in: devices)
      let count = unsafe consumer.withUnsafeMutableBytes { bytes -> Int32 in
        guard let start = bytes.baseAddress else { return 0 }
        return unsafe cgpiod_line_consumer(
          place.chip.pointer, place.offset, start, bytes.count)
      }
      guard count > 0 else { return nil }
      return InlineText(consumer.span.extracting(..<min(Int(count), consumer.count)))
    } catch {
      return nil
    }
  }
}

extension GPIOLine: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    let moment = Moment.now
    attempt(at: moment) { () throws(SourceFailure) in try readEvents(readiness, at: moment) }
  }
}

extension LineEventError {
  fileprivate var words: InlineText {
    switch self {
    case .torn: return InlineText("half an event")
    case .unknownEdge(let id):
      var text = ByteBuffer(capacity: 32)
      text.append("an edge of kind ")
      text.append(decimal: id)
      return InlineText(text.bytes)
    }
  }
}
