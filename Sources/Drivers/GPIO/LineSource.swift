public import Bytes
import CGPIOD
import CLinux
public import LinuxIO
import Sensing

/// A source that holds one GPIO line, from the sample that opens it to a failure, which closes it.
public class LineSource: Source {
  /// Name of the line in messages.
  public let name: InlineText
  let sink: any ReadingSink
  let supervisor: Supervisor
  private let address: GPIOLineAddress
  private let chips: GPIOChips
  /// The held line; nil while it is closed.
  final var request: GPIOLineRequest?

  init(
    _ address: GPIOLineAddress, in chips: GPIOChips, _ sink: any ReadingSink,
    _ supervisor: Supervisor
  ) {
    name = InlineText(address.text.span)
    self.address = address
    self.chips = chips
    self.sink = sink
    self.supervisor = supervisor
  }

  // MARK: Overridden by each kind

  /// Opens the line if it is closed, and reads it.
  func sampleLine(at moment: Moment) throws(SourceFailure) {}

  /// Records `value`, which stands for a failure, before the line is closed.
  func lineLost(_ value: Value, at moment: Moment) {}

  public var deadline: Instant? { nil }
  public func deadlineReached(at moment: Moment) {}
  public func stop(at moment: Moment) {}
  public var guardsTheWorld: Bool { false }

  // MARK: Shared by all kinds

  public func sample(at moment: Moment) {
    attempt(at: moment) { () throws(SourceFailure) in try sampleLine(at: moment) }
  }

  public var listening: Listening { request != nil ? .open : .closed }

  public var holder: InlineText? { address.holder(in: chips) }

  /// Performs `body`; its failure is reported, and closes the line. Returns whether it succeeded.
  @discardableResult
  final func attempt(at moment: Moment, _ body: () throws(SourceFailure) -> Void) -> Bool {
    do throws(SourceFailure) {
      try body()
      return true
    } catch {
      lineLost(error.value, at: moment)
      request = nil
      supervisor.failed(name, error, now: moment.instant)
      return false
    }
  }

  final func open(
    _ purpose: GPIOLineRequest.Purpose, isActiveLow: Bool, bias: GPIOBias
  ) throws(SourceFailure) {
    let place = try chips.place(of: address, named: name)
    do throws(Errno) {
      request = try GPIOLineRequest(place, purpose, isActiveLow: isActiveLow, bias: bias)
    } catch {
      // An expander that does not answer has the same error for an output.
      guard case .input = purpose, error.code == ENXIO else {
        throw SourceFailure(error, of: name)
      }
      throw .unsupported(name, remedy: "choose a line whose chip can report edges")
    }
  }

  /// Reads the present level; nil if the line is closed.
  final func level() throws(SourceFailure) -> Level? {
    do throws(Errno) { return try request?.level() } catch { throw SourceFailure(error, of: name) }
  }

  /// Reads events once and passes each to `body`. Returns their number.
  final func readEvents(_ body: (LineEvent) -> Void) throws(SourceFailure) -> Int {
    do throws(Errno) {
      guard let count = try request?.readEvents(asleep: timeAsleep, body) else {
        throw .noSuchDevice
      }
      return count
    } catch {
      throw SourceFailure(error, of: name)
    }
  }

  /// Reports too many edges, and with nil their end.
  final func tellExcess(_ edgesPerSecond: Int?, at moment: Moment) {
    if let edgesPerSecond {
      supervisor.failed(
        name, .flooded(name, edgesPerSecond: edgesPerSecond), now: moment.instant)
    } else {
      supervisor.worked(name)
    }
  }
}

/// A GPIO line that the agent holds until this value ends.
@safe struct GPIOLineRequest: ~Copyable {
  enum Purpose {
    /// Input whose rising edges, and with `hasFalling` all edges, are reported, and that the kernel
    /// debounces for `quiet` if it can. The kernel keeps up to `kept` events, 1024 at most.
    case input(hasFalling: Bool, quiet: Duration, kept: Int, perRead: Int)
    /// Output that has this level from its first moment on.
    case output(Level)
  }

  private static let consumer: StaticString = "homeward"

  private let line: cgpiod_line

  /// Requests a line from the kernel.
  ///
  /// - Throws: EBUSY if another program holds it; ENXIO if its chip cannot report edges; ENODEV if
  ///   the chip has gone; EINVAL and others, depending on the chip's driver.
  init(
    _ place: borrowing GPIOLinePlace, _ purpose: Purpose, isActiveLow: Bool, bias: GPIOBias
  ) throws(Errno) {
    var wanted = cgpiod_settings()
    wanted.offset = place.offset
    wanted.is_active_low = isActiveLow
    wanted.bias = bias.shimValue
    switch purpose {
    case .input(let hasFalling, let quiet, let kept, let perRead):
      wanted.reports_rising = true
      wanted.reports_falling = hasFalling
      wanted.debounce_microseconds = UInt32(clamping: quiet.nanoseconds / 1000)
      wanted.event_count_max = UInt32(kept)
      wanted.read_count_max = UInt32(perRead)
    case .output(let level):
      wanted.is_output = true
      wanted.is_active = level == .active
    }
    unsafe line = try Self.request(wanted, place)
  }

  deinit { unsafe cgpiod_release(line) }

  private static func request(
    _ settings: cgpiod_settings, _ place: borrowing GPIOLinePlace
  ) throws(Errno) -> cgpiod_line {
    var wanted = settings
    var line = unsafe place.chip.request(wanted, as: consumer)
    if unsafe line.request == nil, wanted.debounce_microseconds > 0 {
      // Drivers differ in the error for what they cannot do.
      wanted.debounce_microseconds = 0
      unsafe line = place.chip.request(wanted, as: consumer)
    }
    guard unsafe line.request != nil else { throw Errno(code: clinux_errno()) }
    return unsafe line
  }

  /// Descriptor that is ready when there are events.
  var descriptor: Int32 { unsafe cgpiod_descriptor(line) }

  /// Reads the present level from the kernel; of an output, as far as the chip can read it back.
  func level() throws(Errno) -> Level {
    switch unsafe cgpiod_level(line) {
    case 0: return .inactive
    case 1: return .active
    default: throw Errno(code: clinux_errno())
    }
  }

  func set(_ level: Level) throws(Errno) {
    guard unsafe cgpiod_set_level(line, level == .active) == 0 else {
      throw Errno(code: clinux_errno())
    }
  }

  /// Reads events once and passes each to `body`. `asleep` is the time that the board slept since
  /// the kernel started.
  ///
  /// - Returns: the number of events; 0 if there are none now.
  /// - Throws: ENODEV if the chip has gone.
  func readEvents(asleep: Duration, _ body: (LineEvent) -> Void) throws(Errno) -> Int {
    let count = unsafe cgpiod_read_events(line)
    guard count >= 0 else {
      switch Errno(code: clinux_errno()) {
      case .wouldBlock: return 0
      // The kernel only writes whole events: the line has hung up.
      case .inputOutput: throw .noSuchDevice
      case let error: throw error
      }
    }
    for index in 0..<count {
      let event = unsafe cgpiod_event_at(line, index)
      body(
        LineEvent(
          to: event.is_rising ? .active : .inactive, timestamp: event.timestamp,
          sequence: event.line_sequence, asleep: asleep))
    }
    return Int(count)
  }
}

extension GPIOBias {
  fileprivate var shimValue: gpiod_line_bias {
    switch self {
    case .asIs: GPIOD_LINE_BIAS_AS_IS
    case .pullUp: GPIOD_LINE_BIAS_PULL_UP
    case .pullDown: GPIOD_LINE_BIAS_PULL_DOWN
    case .disabled: GPIOD_LINE_BIAS_DISABLED
    }
  }
}

extension Duration {
  /// Time for which the kernel may quiet a line whose levels have to last this long.
  ///
  /// The kernel counts in its own ticks, of 4 or 10 ms, so it would not keep to a shorter time; and
  /// some chips have a debouncer with a time of their own, so it cannot take the place of
  /// `Debouncer`. It keeps most of the bouncing from waking the agent.
  var quiet: Duration { self >= .milliseconds(20) ? .milliseconds(10) : .zero }
}
