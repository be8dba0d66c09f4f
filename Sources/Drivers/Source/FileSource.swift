public import Bytes
public import LinuxIO
public import Sensing

/// A source whose files a driver, a bus or a disk can delay: it reads them in the loop only as long
/// as that is fast.
///
/// Files that are slow, or whose speed is not known yet, are read beside the loop, and a cycle
/// waits a limited time for them. The same applies to files on a bus that is being read beside the
/// loop, for which the loop would wait, and to all files after one that has held up the loop in the
/// same turn: a bus that no longer answers holds up the loop once, not once for each of its files.
///
/// A kind of source reads its files and stores the results in `readFiles`, and records them in
/// `tell`. Nothing else accesses the state of `readFiles` while `isAwaited`.
public class FileSource: BackgroundRead, Source {
  public let name: InlineText
  let sink: any ReadingSink
  private let supervisor: Supervisor?
  private let reader: BackgroundReader?
  private var pace = ReadPace()
  /// Time that a cycle waits for a reading beside the loop; a later one is part of the next cycle.
  private let answerTimeout: Duration
  /// Time of the request for the reading beside the loop; nil if none is pending.
  private var awaitedSince: Instant?
  /// End of the wait of the current cycle; nil if it does not wait.
  public final private(set) var deadline: Instant?
  /// Start of the current reading, if it runs in the loop.
  private var inLoopSince: Instant?
  /// Time of the last request for a reading.
  final private(set) var askedAt = Instant(nanoseconds: 0)
  private var hasWorked = false
  /// Whether the last reading beside the loop was complete.
  private var isWhole = false
  /// Whether new values were announced since the reading beside the loop began.
  private var isOutdated = false

  init(_ name: InlineText, _ context: SourceContext) {
    self.name = name
    sink = context.sink
    supervisor = context.readsInLoop ? nil : context.supervisor
    reader = context.readsInLoop ? nil : context.reader
    answerTimeout = context.answerTimeout
  }

  // MARK: Overridden by each kind

  /// Reads all files, in the loop or beside it.
  ///
  /// - Returns: false if it stopped early, because it `holdsLoopUp` or found itself on another bus;
  ///   it is then called again beside the loop.
  func readFiles() -> Bool { true }

  /// Records the results of `readFiles`. If it throws, all that could be read has been recorded.
  func tell(at moment: Moment) throws(SourceFailure) {}

  /// Records that no answer arrived.
  func tellSilence(at moment: Moment) {}

  /// Bus that delays the files. Other sources may share it.
  var bus: DeviceBus { DeviceBus(named: name.bytes) }

  /// Time after which a reading counts as unanswered.
  var silentAfter: Duration { .seconds(60) }

  /// Whether a reading may hang even if all earlier ones were fast.
  var mayHang: Bool { false }

  public var deviceKinds: DeviceKinds { [] }
  public var isOptional: Bool { false }

  // MARK: Shared by all kinds

  /// Whether a reading in the loop has taken so long that the rest of it goes beside the loop.
  final var holdsLoopUp: Bool {
    guard let inLoopSince, let reader else { return false }
    return reader.now - inLoopSince > ReadPace.fastMax
  }

  /// Whether a reading beside the loop is pending.
  final var isAwaited: Bool { awaitedSince != nil }

  /// Records that the device was lost, because another device may take its place.
  final func deviceLost() { pace.fileLost() }

  public func sample(at moment: Moment) throws(SourceFailure) {
    if let awaitedSince {
      guard moment.instant - awaitedSince >= silentAfter else { return }
      tellSilence(at: moment)
      throw .silent(name)
    }
    askedAt = moment.instant
    guard pace.isBesideLoop || mayHang || isHeldUp(at: moment) else {
      if readInLoop(at: moment) { return try told(at: moment) }
      return try ask(at: moment)
    }
    try ask(at: moment)
  }

  /// Whether even a fast reading would hold up the loop now.
  private func isHeldUp(at moment: Moment) -> Bool {
    guard let reader else { return false }
    return reader.loopHeldUpAt == moment.instant || !reader.isIdle && reader.isReading(bus)
  }

  private func ask(at moment: Moment) throws(SourceFailure) {
    guard let reader else {
      while !readFiles() {}
      return try told(at: moment)
    }
    do throws(Errno) { try reader.perform(self, on: bus) } catch {
      answered()
      tellSilence(at: moment)
      throw SourceFailure(error, of: name)
    }
    if awaitedSince == nil {
      awaitedSince = moment.instant
      deadline = moment.instant + answerTimeout
    }
    isOutdated = false
  }

  private func answered() { (awaitedSince, deadline) = (nil, nil) }

  /// Returns false if the rest must be read beside the loop.
  private func readInLoop(at moment: Moment) -> Bool {
    guard let reader else { return readFiles() }
    let began = reader.now
    inLoopSince = began
    let isWhole = readFiles()
    inLoopSince = nil
    let duration = reader.now - began
    pace.readEnded(after: duration)
    if duration > ReadPace.fastMax { reader.loopHeldUpAt = moment.instant }
    return isWhole
  }

  private func told(at moment: Moment) throws(SourceFailure) {
    try tell(at: moment)
    hasWorked = true
    supervisor?.worked(name)
  }

  public override func readBesideLoop() { isWhole = readFiles() }

  public override func readEnded(after duration: Duration) {
    pace.readEnded(after: duration)
    let moment = Moment.now
    if isWhole {
      answered()
      arrived(at: moment)
    }
    guard !isWhole || isOutdated else { return }
    attempt(at: moment) { () throws(SourceFailure) in try ask(at: moment) }
  }

  /// Handles the end of a complete reading beside the loop.
  func arrived(at moment: Moment) {
    attempt(at: moment) { () throws(SourceFailure) in try told(at: moment) }
  }

  private func attempt(at moment: Moment, _ body: () throws(SourceFailure) -> Void) {
    do throws(SourceFailure) { try body() } catch .missing where isOptional && !hasWorked {
      supervisor?.absent(name, now: moment.instant)
    } catch {
      supervisor?.failed(name, error, now: moment.instant)
    }
  }

  public var listening: Listening { reader == nil ? .never : .answering }

  public func valuesAnnounced() { isOutdated = isAwaited }

  public var isGathering: Bool { deadline != nil }

  public var shortfall: SourceFailure? { isAwaited ? .silent(name) : nil }

  public func deadlineReached(at moment: Moment) {
    if let end = deadline, moment.instant >= end { deadline = nil }
  }
}

/// A source of files with one sensor, most often a number.
public class NumberSource: FileSource {
  private var sensor: DeclaredSensor
  /// Whether the configuration names it: it is then a sensor even before it exists.
  private let isNamed: Bool
  /// Result of `readFiles`.
  final var answer: Result<Value, SourceFailure>?

  init(
    _ name: InlineText, _ context: SourceContext, _ sensor: SensorDescription,
    minChange: FixedPoint? = nil, isNamed: Bool = false
  ) {
    self.sensor = DeclaredSensor(sensor, minChange: minChange)
    self.isNamed = isNamed
    super.init(name, context)
  }

  /// Reads the number.
  func number() throws(SourceFailure) -> FixedPoint { throw .missing(name) }

  /// Returns the value to record; nil for none.
  func value(at moment: Moment) throws(SourceFailure) -> Value? {
    try answer?.get()
  }

  override func readFiles() -> Bool {
    do throws(SourceFailure) { answer = .success(.number(try number())) } catch {
      answer = .failure(error)
    }
    return true
  }

  override func tell(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      guard let value = try value(at: moment) else { return }
      sensor.record(value, at: moment.wallTime, in: sink)
    } catch {
      recordFailure(error.value, at: moment)
      throw error
    }
  }

  override func tellSilence(at moment: Moment) { recordFailure(.unavailable, at: moment) }

  private func recordFailure(_ value: Value, at moment: Moment) {
    if isNamed {
      sensor.record(value, at: moment.wallTime, in: sink)
    } else {
      sensor.recordFailure(value, at: moment.wallTime, in: sink)
    }
  }
}
