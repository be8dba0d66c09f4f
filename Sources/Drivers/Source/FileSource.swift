public import Bytes
public import LinuxIO
public import Sensing

/// A source that reads files which a driver, a bus or a disk can hold up, and so reads them in the
/// loop only as long as that is fast.
///
/// What is slow, or not known yet, is read beside the loop; a cycle waits for that, and not for
/// long. So is what is on a bus that is being read there, for which the loop would wait, and all
/// that comes after a file that has held the loop up in the same turn: a bus that does not answer
/// any more does that once, and not once for each of its files.
///
/// A kind of source says in `readFiles` what it reads, which keeps what it finds, and in `tell`
/// what of it is recorded. Nothing else touches what `readFiles` does while `isAwaited`.
public class FileSource: BackgroundRead, Source {
  public let name: InlineText
  let sink: any ReadingSink
  private let supervisor: Supervisor?
  private let reader: BackgroundReader?
  private var pace = ReadPace()
  private var answer: PendingAnswer
  /// When the reading at hand began, where it holds the loop up.
  private var inLoopSince: Instant?
  /// When the reading at hand was asked for.
  final private(set) var askedAt = Instant(nanoseconds: 0)
  private var hasWorked = false
  /// Whether the last reading beside the loop has read all.
  private var isWhole = false
  /// Whether new values were announced since the reading beside the loop began.
  private var isOutdated = false

  /// Makes a source; without `access` the loop waits for what is slow.
  init(_ name: InlineText, sink: any ReadingSink, _ access: SlowAccess? = nil) {
    self.name = name
    self.sink = sink
    supervisor = access?.supervisor
    reader = access?.reader
    answer = PendingAnswer(timeout: access?.answerTimeout ?? .zero)
  }

  // MARK: What a kind of source does

  /// Reads all that is to be told, in the loop or beside it.
  ///
  /// - Returns: false if it has left off, for it `holdsLoopUp`, or has found that it is on another
  ///   bus: it is called again beside the loop then.
  func readFiles() -> Bool { true }

  /// Records what was read. Where it throws, what could be read has been recorded.
  func tell(at moment: Moment) throws(SourceFailure) {}

  /// Records that no answer came.
  func tellSilence(at moment: Moment) {}

  /// What keeps the files waiting. Another source may share it.
  var bus: DeviceBus { DeviceBus(named: name.bytes) }

  /// How long a reading may take until it counts as no answer.
  var silentAfter: Duration { PendingAnswer.silentAfter }

  /// Whether what was fast each time may hang the next time.
  var mayHang: Bool { false }

  public var deviceKinds: DeviceKinds { [] }
  public var isOptional: Bool { false }

  // MARK: What they share

  /// Whether a reading in the loop has taken so long that the rest of it goes beside the loop.
  final var holdsLoopUp: Bool {
    guard let inLoopSince, let reader else { return false }
    return reader.now - inLoopSince > ReadPace.fastMax
  }

  /// Whether a reading is on its way.
  final var isAwaited: Bool { answer.isAwaited }

  /// What was read last is away, and what comes may be another device.
  final func deviceLost() { pace.fileLost() }

  public func sample(at moment: Moment) throws(SourceFailure) {
    guard !answer.isAwaited else {
      guard answer.isOverdue(now: moment.instant, after: silentAfter) else { return }
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

  /// Whether also what is fast would hold the loop up now.
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
      answer.answered()
      throw SourceFailure(error, of: name)
    }
    if !answer.isAwaited { answer.asked(at: moment.instant) }
    isOutdated = false
  }

  /// Returns false where the rest has to be read beside the loop.
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
      answer.answered()
      arrived(at: moment)
    }
    guard !isWhole || isOutdated else { return }
    attempt(at: moment) { () throws(SourceFailure) in try ask(at: moment) }
  }

  /// What was read beside the loop is there.
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

  public func valuesAnnounced() { isOutdated = answer.isAwaited }

  public var isGathering: Bool { answer.deadline != nil }

  public var shortfall: SourceFailure? { answer.isAwaited ? .silent(name) : nil }

  public var deadline: Instant? { answer.deadline }

  public func deadlineReached(at moment: Moment) { answer.deadlineReached(now: moment.instant) }
}

/// Who reads what is slow, and who hears of it.
public struct SlowAccess {
  let reader: BackgroundReader
  let supervisor: Supervisor
  /// How long a cycle waits.
  let answerTimeout: Duration
}

extension SourceContext {
  var slowAccess: SlowAccess {
    SlowAccess(reader: reader, supervisor: supervisor, answerTimeout: answerTimeout)
  }
}
