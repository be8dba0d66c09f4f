public import Bytes

/// A session with a Victron device: the times at which the driver listens, and the values that are
/// accepted.
///
/// A device sends once a second without a request. The port is open only while values are gathered,
/// once in a cycle: between cycles neither the adapter nor the kernel has work, and no old data
/// waits in them. The first byte wakes the driver, which reads when the block is probably complete.
/// That is two wake-ups for each block: one block of a solar charger, two of a battery monitor, and
/// one more in the first cycle, which shows what the device sends.
///
/// The driver reports events and does the returned actions; it comes back at `deadline`.
public struct VEDirectSession: ~Copyable {
  public enum Action: Equatable, Sendable {
    /// Open the port; then call `opened` or `failed`.
    case open
    /// Wait for input; then call `inputArrived`.
    case listen
    /// Do not wait for input.
    case pause
    /// Read into `buffer` and call `bytesRead` until nothing is left; then call `drained`.
    case read
    /// Drop the input, and wait for more.
    case discard
    /// Close the port, and record the `report` of each sensor.
    case finish
    /// Close the port; the wanted values are not available.
    case fail(SourceFailure)
  }

  /// The record of a sensor.
  public enum Report: Equatable, Sendable {
    /// Nothing to record: the sensor is not wanted, or its last value still holds.
    case nothing
    /// The device has no value for it now (`---`), or an invalid one.
    case none
    case value(Value)
    case implausible(FixedPoint, PlausibleRange)
    /// The device never sent a value, or no longer does.
    case stale
  }

  /// Time after its first byte at which a block is complete.
  public static let blockTime: Duration = .milliseconds(250)
  /// Time after opening within which input waited in the adapter, or is the rest of a block.
  public static let leftoverTime: Duration = .milliseconds(50)
  /// Pause that is longer than any inside a block.
  public static let gapTime: Duration = .milliseconds(500)
  /// Time that a cycle waits: two blocks of a device that sends every two seconds.
  public static let gatherTime: Duration = .seconds(4)
  /// Time without a block after which the device is silent, and its values are old.
  public static let silenceTime: Duration = .seconds(10)

  private enum State {
    case closed
    case opening
    /// No input was there at `since`.
    case listening(since: Instant)
    case settling(until: Instant, isLeftover: Bool)
  }

  /// Buffer into which the driver reads.
  public var buffer = ByteBuffer(capacity: 512)

  private let name: InlineText
  /// Sensors to report.
  private let wanted: VEDirectSensors
  private var state = State.closed
  private var reader = VEDirectReader()
  private var values = VEDirectValues()
  private var askedAt = Instant(nanoseconds: 0)
  /// Whether the wait of this cycle is over, although values may still come.
  private var isLate = false
  private var isAtStart = false
  private var byteCount = 0
  /// Number of whole blocks with wrong sums before this cycle.
  private var wrongSumCount = 0
  /// Sensors with a value since the port was opened.
  private var heard: VEDirectSensors = []
  private var blockCount = 0
  /// All sensors that the device is known to send.
  private var expected: VEDirectSensors = []
  /// Whether `expected` is still incomplete: everything was received when a block repeats.
  private var isLearning = true
  private var hasFailed = false

  public init(name: InlineText, wanted: VEDirectSensors = .usual) {
    self.name = name
    self.wanted = wanted
  }

  // MARK: Queries

  public var isOpen: Bool {
    switch state {
    case .closed, .opening: false
    case .listening, .settling: true
    }
  }

  /// Whether the cycle waits for values. It does not wait for a device that was silent.
  public var isGathering: Bool { isOpen && !isLate && !hasFailed }

  /// Reason why the wait brought nothing, if no failure was reported yet.
  public var shortfall: SourceFailure? { isOpen && isLate && blockCount == 0 ? trouble : nil }

  public var deadline: Instant? {
    switch state {
    case .closed, .opening: nil
    case .settling(let until, _): until
    case .listening: isLate ? silentAt : min(gatheredAt, silentAt)
    }
  }

  /// Serial number of the device, if it sends one.
  public var serial: InlineText? { values.serial }

  /// Returns the record of the sensor with this number after `finish`.
  public func report(_ sensor: Int, now: Instant) -> Report {
    guard wanted.contains(sensor) else { return .nothing }
    guard let heardAt = values.heardAt(sensor) else { return .stale }
    guard heard.contains(sensor) else {
      return now - heardAt < Self.silenceTime ? .nothing : .stale
    }
    return values.report(sensor)
  }

  private var gatheredAt: Instant { askedAt + (isLearning ? Self.silenceTime : Self.gatherTime) }
  private var silentAt: Instant { askedAt + Self.silenceTime }

  // MARK: Events

  /// Starts a cycle. While values of an earlier cycle are awaited, nothing happens.
  public mutating func cycleDue(now: Instant) -> Action? {
    guard case .closed = state else { return nil }
    state = .opening
    askedAt = now
    isLate = false
    isAtStart = true
    byteCount = 0
    wrongSumCount = reader.wrongSumCount
    blockCount = 0
    heard = []
    return .open
  }

  /// Records that the port is open and empty.
  public mutating func opened(now: Instant) -> Action {
    reader.restart()
    state = .listening(since: now)
    return .listen
  }

  /// Records that the port could not be opened or read, or was unplugged.
  public mutating func failed(_ failure: SourceFailure) -> Action {
    state = .closed
    hasFailed = true
    return .fail(failure)
  }

  public mutating func inputArrived(now: Instant) -> Action? {
    guard case .listening(let since) = state else { return nil }
    let quiet = now - since
    if isAtStart, quiet < Self.leftoverTime {
      state = .settling(until: since + Self.leftoverTime, isLeftover: true)
      return .pause
    }
    if quiet >= (byteCount == 0 ? Self.leftoverTime : Self.gapTime) { reader.gapPassed() }
    isAtStart = false
    state = .settling(until: now + Self.blockTime, isLeftover: false)
    return .pause
  }

  public mutating func deadlineReached(now: Instant) -> Action? {
    guard let deadline, now >= deadline else { return nil }
    switch state {
    case .closed, .opening: return nil
    case .settling(_, let isLeftover):
      state = .listening(since: now)
      guard isLeftover else { return .read }
      isAtStart = false
      return .discard
    case .listening: return waited(now: now)
    }
  }

  /// Processes the bytes in `buffer`.
  public mutating func bytesRead(now: Instant) {
    byteCount = byteCount.addingReportingOverflow(buffer.count).partialValue
    for index in 0..<buffer.count where reader.received(buffer[index]) == .block {
      take(now: now)
    }
    buffer.removeAll()
  }

  /// Records that everything was read.
  public mutating func drained(now: Instant) -> Action { isComplete ? finish() : .listen }

  // MARK: Blocks

  private mutating func take(now: Instant) {
    switch values.take(reader, now: now) {
    case .none: return
    case .values(let sensors): blockRead(sensors)
    case .valuesOfAnother(let sensors):
      heard = []
      expected = []
      isLearning = true
      blockRead(sensors)
    }
  }

  private mutating func blockRead(_ sensors: VEDirectSensors) {
    blockCount += 1
    if isLearning, blockCount > 1, sensors.isSubset(of: heard), !values.isUndecided {
      isLearning = false
    }
    heard.formUnion(sensors)
    expected.formUnion(sensors)
  }

  private var isComplete: Bool {
    blockCount > 0 && !isLearning && !values.isUndecided
      && expected.intersection(wanted).isSubset(of: heard)
  }

  /// Handles the end of the wait.
  private mutating func waited(now: Instant) -> Action? {
    if blockCount > 0 {
      // Values that did not come may never come again: the next cycle finds out.
      expected = heard
      isLearning = true
      return finish()
    }
    if now >= silentAt { return failed(trouble) }
    isLate = true
    return nil
  }

  private mutating func finish() -> Action {
    values.decide()
    guard !heard.intersection(wanted).isEmpty else {
      return failed(
        .unsupported(name, remedy: "remove \"only\": it names no value of this device"))
    }
    state = .closed
    hasFailed = false
    return .finish
  }

  private var trouble: SourceFailure {
    if byteCount == 0 { return .silent(name) }
    let hasBlocks = reader.wrongSumCount != wrongSumCount
    return .malformed(
      name, found: hasBlocks ? Self.wrongSums : InlineText("bytes without a VE.Direct block"))
  }

  /// Failure of a device whose blocks are whole and whose sums are wrong.
  public static let wrongSums = InlineText("VE.Direct blocks with wrong checksums")
}
