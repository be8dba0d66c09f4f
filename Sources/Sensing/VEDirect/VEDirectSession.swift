public import Bytes

/// When a driver listens to a device of Victron, and what is believed of what it hears.
///
/// A device speaks once a second, unasked. The port is open only while values are gathered, once
/// in a cycle: between cycles neither the adapter nor the kernel has anything to do, and nothing
/// old waits in them. The first byte wakes the driver; it reads when the block is probably over.
/// That are two wake-ups for each block: one block of a solar charger, two of a battery monitor,
/// and in the first cycle one more, which shows what there is to come.
///
/// The driver tells what happens and does what it is told; `deadline` is when it has to come back.
public struct VEDirectSession: ~Copyable {
  public enum Action: Equatable, Sendable {
    /// Open the port; then `opened` or `failed`.
    case open
    /// Wait for input; then `inputArrived`.
    case listen
    /// Do not wait for input.
    case pause
    /// Read into `buffer` and tell `bytesRead` until nothing is left; then `drained`.
    case read
    /// Drop what came in, and wait for input.
    case discard
    /// Close the port, and record what `report` says of each sensor.
    case finish
    /// Close the port; nothing of what is wanted is to be had.
    case fail(SourceFailure)
  }

  /// What is to be recorded of a sensor.
  public enum Report: Equatable, Sendable {
    /// Nothing: it is not wanted, or what the device said just before still holds.
    case nothing
    /// The device has no value for it now.
    case none
    case value(Value)
    /// A number that cannot be, and what can be.
    case implausible(FixedPoint, PlausibleRange)
    /// The device never said it, or does not say it any more.
    case stale
  }

  /// A block takes less to come in: it is read this long after its first byte.
  public static let blockTime: Duration = .milliseconds(250)
  /// What comes in sooner after opening waited in the adapter, or is the rest of a block.
  public static let leftoverTime: Duration = .milliseconds(50)
  /// A block has no pause like this.
  public static let gapTime: Duration = .milliseconds(500)
  /// How long a cycle waits: for two blocks of devices that speak every two seconds.
  public static let gatherTime: Duration = .seconds(4)
  /// Without a block for so long the device is silent, and its values are old.
  public static let silenceTime: Duration = .seconds(10)

  private enum State {
    case closed
    case opening
    /// Nothing was there when it was last looked, `since`.
    case listening(since: Instant)
    case settling(until: Instant, isLeftover: Bool)
  }

  /// Where the driver puts what it reads.
  public var buffer = ByteBuffer(capacity: 512)

  private let name: InlineText
  private let wanted: VEDirectSensors
  private var state = State.closed
  private var reader = VEDirectReader()
  private var values = VEDirectValues()
  private var askedAt = Instant(nanoseconds: 0)
  /// Whether the wait of this cycle is over though values may still come.
  private var isLate = false
  private var isAtStart = false
  private var byteCount = 0
  /// How many whole blocks with wrong sums there were before.
  private var wrongSumCount = 0
  /// What came since the port was opened.
  private var heard = VEDirectSensors.none
  private var blockCount = 0
  /// What the device says in all, as far as it was ever heard.
  private var expected = VEDirectSensors.none
  /// Whether it is being found out what the device says: all was heard when a block repeats.
  private var isLearning = true
  private var hasFailed = false

  /// - Parameters:
  ///   - name: what messages call the device.
  ///   - wanted: which sensors are of interest.
  public init(name: InlineText, wanted: VEDirectSensors = .usual) {
    self.name = name
    self.wanted = wanted
  }

  // MARK: What the driver asks

  public var isOpen: Bool {
    switch state {
    case .closed, .opening: false
    case .listening, .settling: true
    }
  }

  /// Whether the cycle waits for values. For a device that was silent it does not wait.
  public var isGathering: Bool { isOpen && !isLate && !hasFailed }

  /// Why the wait brought nothing, where no failure was told yet.
  public var shortfall: SourceFailure? { isOpen && isLate && blockCount == 0 ? trouble : nil }

  public var deadline: Instant? {
    switch state {
    case .closed, .opening: nil
    case .settling(let until, _): until
    case .listening: isLate ? silentAt : min(gatheredAt, silentAt)
    }
  }

  /// The serial number of the device, where it tells one.
  public var serial: InlineText? { values.serial }

  /// What is to be recorded of the sensor with this number after `finish`.
  public func report(_ sensor: Int, now: Instant) -> Report {
    guard wanted.contains(sensor) else { return .nothing }
    guard let heardAt = values.heardAt(sensor) else { return .stale }
    guard heard.contains(sensor) else {
      return now - heardAt < Self.silenceTime ? .nothing : .stale
    }
    switch values.answer(sensor) {
    case .value(let value): return .value(value)
    case .none: return .none
    case .implausible(let number):
      guard let range = VEDirectSensor.all[sensor].range else { return .none }
      return .implausible(number, range)
    }
  }

  private var gatheredAt: Instant { askedAt + (isLearning ? Self.silenceTime : Self.gatherTime) }
  private var silentAt: Instant { askedAt + Self.silenceTime }

  // MARK: Events

  /// Values are wanted. While those of an earlier cycle are still awaited, nothing more is done.
  public mutating func cycleDue(now: Instant) -> Action? {
    guard case .closed = state else { return nil }
    state = .opening
    askedAt = now
    isLate = false
    isAtStart = true
    byteCount = 0
    wrongSumCount = reader.wrongSumCount
    blockCount = 0
    heard = .none
    return .open
  }

  /// The port is open, and empty.
  public mutating func opened(now: Instant) -> Action {
    reader.restart()
    state = .listening(since: now)
    return .listen
  }

  /// The port could not be opened or read, or was unplugged.
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

  /// Takes in what is in `buffer`.
  public mutating func bytesRead(now: Instant) {
    byteCount = byteCount.addingReportingOverflow(buffer.count).partialValue
    for index in 0..<buffer.count where reader.received(buffer[index]) == .block {
      take(now: now)
    }
    buffer.removeAll()
  }

  /// Nothing is left to be read.
  public mutating func drained(now: Instant) -> Action { isComplete ? finish() : .listen }

  // MARK: Blocks

  private mutating func take(now: Instant) {
    switch values.take(reader, now: now) {
    case .none: return
    case .values(let sensors): blockRead(sensors)
    case .valuesOfAnother(let sensors):
      heard = .none
      expected = .none
      isLearning = true
      blockRead(sensors)
    }
  }

  private mutating func blockRead(_ sensors: VEDirectSensors) {
    blockCount += 1
    if isLearning, blockCount > 1, sensors.isSubset(of: heard), !values.isUndecided {
      isLearning = false
    }
    heard.insert(all: sensors)
    expected.insert(all: sensors)
  }

  private var isComplete: Bool {
    blockCount > 0 && !isLearning && !values.isUndecided
      && expected.intersection(wanted).isSubset(of: heard)
  }

  /// The time is over in which something should have come.
  private mutating func waited(now: Instant) -> Action? {
    if blockCount > 0 {
      // What did not come may never come again: the next cycle finds out.
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

  /// What a device says whose blocks are whole and whose sums are wrong.
  public static let wrongSums = InlineText("VE.Direct blocks with wrong checksums")
}
