public import Bytes
public import LinuxIO
public import Sensing

/// Who hears what becomes of the sources: each trouble once, and once that it is over.
public protocol SupervisorOwner: AnyObject {
  /// Says once that a source fails, or that it does so in another way than before.
  func sourceFailed(_ source: InlineText, _ failure: SourceFailure)

  /// Says once that a source which failed works again.
  func sourceRecovered(_ source: InlineText)

  /// Says that this receiver of a source with several is the one whose fixes are taken from now on.
  func receiverChosen(_ source: InlineText, _ receiver: InlineText)
}

/// Asks the sources in every cycle, and is the one place that knows which of them fail: a failing
/// source neither silences the others nor repeats itself, and is asked ever more seldom.
///
/// Invariants:
/// - The owner hears of a recovery only after it has heard of a failure of the same name.
/// - A source that fails is not asked before its pause is over, unless what it listens to is open.
/// - A pause wakes the loop for a source that listens; the others wait for the next cycle, and so
///   does one that rests between two cycles, once its failure lasts.
public final class Supervisor {
  /// A source, or a part of one that fails under its own name.
  private final class Row {
    let name: InlineText
    /// Nil for a part, which its source asks.
    let source: (any Source)?
    var supervision = Supervision()
    var hasWorked = false

    init(_ name: InlineText, _ source: (any Source)?) {
      self.name = name
      self.source = source
    }
  }

  private unowned(unsafe) let owner: any SupervisorOwner
  private var rows: [Row] = []
  /// Those of them that listen: only they have deadlines, and something on its way.
  private var listeners: [Row] = []
  /// How many rows are not working: while there is none, nothing is looked up.
  private var failingCount = 0

  /// How long sources that wait for something are given after the board slept: what they wait for
  /// slept with it.
  public static let wakingTime: Duration = .seconds(5)

  /// When the board woke last.
  private var wokeAt = Instant(nanoseconds: .min)

  /// `owner` outlives this, and this outlives the sources.
  public init(owner: any SupervisorOwner) { unsafe self.owner = owner }

  public func add(_ source: any Source) {
    let row = Row(source.name, source)
    rows.append(row)
    if source.listening != .never { listeners.append(row) }
  }

  // MARK: Asking

  /// Whether a source is still waiting for something of this cycle.
  public var isGathering: Bool { listeners.contains { $0.source?.isGathering == true } }

  public var deadline: Instant? {
    var next: Instant?
    for row in listeners { next = earliest(next, deadline(of: row)) }
    return next
  }

  /// The source's own one comes first: while it has one, what it tries is not over.
  private func deadline(of row: Row) -> Instant? {
    guard let source = row.source else { return nil }
    if let deadline = source.deadline {
      let isSleptThrough = deadline <= wokeAt && !source.guardsTheWorld
      return isSleptThrough ? wokeAt + Self.wakingTime : deadline
    }
    return switch source.listening {
    case .closed: row.supervision.retryAt
    case .resting: row.supervision.isLasting ? nil : row.supervision.retryAt
    case .never, .answering, .open: nil
    }
  }

  public func deadlineReached(at moment: Moment) {
    for row in listeners {
      guard let deadline = deadline(of: row), moment.instant >= deadline, let source = row.source
      else { continue }
      if source.deadline != nil {
        source.deadlineReached(at: moment)
      } else {
        ask(source, of: row, at: moment)
      }
    }
  }

  /// The board slept until now. What was to end meanwhile ends before anything else happens.
  public func boardWoke(at moment: Moment) {
    wokeAt = moment.instant
    for row in listeners {
      guard let source = row.source, source.guardsTheWorld, let deadline = source.deadline,
        moment.instant >= deadline
      else { continue }
      source.deadlineReached(at: moment)
    }
  }

  /// A cycle is due.
  public func sample(at moment: Moment) {
    for row in rows {
      if row.supervision.settled(now: moment.instant) != nil {
        unsafe owner.sourceRecovered(row.name)
      }
      guard let source = row.source else { continue }
      if row.supervision.isDue(now: moment.instant) || source.listening == .open {
        ask(source, of: row, at: moment)
      }
    }
  }

  /// The kernel announced devices of these kinds. What fails there is asked at once, and so is what
  /// has new values in each announcement.
  public func devicesChanged(_ kinds: DeviceKinds, at moment: Moment) {
    for row in rows {
      guard let source = row.source, !source.deviceKinds.isDisjoint(with: kinds) else { continue }
      let hasNewValues = !source.deviceKinds.isDisjoint(with: kinds.intersection(.telling))
      if hasNewValues { source.valuesAnnounced() }
      if row.supervision.retryAt != nil || hasNewValues { ask(source, of: row, at: moment) }
    }
  }

  /// From now on the sources are asked like this.
  public func paceChanged(to pace: SamplingPace) {
    for row in rows { row.source?.paceChanged(to: pace) }
  }

  /// The agent ends: every source hears of it, also one that fails. What guards the world is first:
  /// others may wait for a disk.
  public func stop(at moment: Moment) {
    for row in rows where row.source?.guardsTheWorld == true { row.source?.stop(at: moment) }
    for row in rows where row.source?.guardsTheWorld == false { row.source?.stop(at: moment) }
  }

  private func ask(_ source: any Source, of row: Row, at moment: Moment) {
    do throws(SourceFailure) {
      try source.sample(at: moment)
      // One that listens tells by itself what it hears.
      if source.listening == .never { worked(row) }
    } catch .missing where source.isOptional && !row.hasWorked {
      absent(row, now: moment.instant)
    } catch {
      failed(row, error, now: moment.instant)
    }
  }

  // MARK: What sources tell

  /// A source that listens fails, or a part of a source. It may say so as often as it finds it out.
  public func failed(_ name: InlineText, _ failure: SourceFailure, now: Instant) {
    if let row = row(of: name) { return failed(row, failure, now: now) }
    let row = Row(name, nil)
    rows.append(row)
    failed(row, failure, now: now)
  }

  /// What a source looks for is not there, and need not be.
  public func absent(_ name: InlineText, now: Instant) {
    if let row = row(of: name) { absent(row, now: now) }
  }

  /// A source that listens works, or a part of a source. It may say so as often as it finds it out.
  public func worked(_ name: InlineText) {
    guard failingCount > 0, let row = row(of: name) else { return }
    worked(row)
  }

  /// What a gpsd that is connected says of its receivers: its session counts by itself, and what
  /// fails there is no reason to leave the connection alone for a while.
  public func heard(_ news: GPSDSession.News, of name: InlineText) {
    switch news {
    case .failed(let failure): unsafe owner.sourceFailed(name, failure)
    case .recovered: unsafe owner.sourceRecovered(name)
    case .chose(let receiver): unsafe owner.receiverChosen(name, receiver)
    }
  }

  private func row(of name: InlineText) -> Row? { rows.first { $0.name == name } }

  private func absent(_ row: Row, now: Instant) {
    if row.supervision.retryAt == nil { failingCount += 1 }
    row.supervision.absent(now: now)
  }

  private func failed(_ row: Row, _ failure: SourceFailure, now: Instant) {
    if row.supervision.retryAt == nil { failingCount += 1 }
    let isUnplugged = if case .missing = failure { row.source == nil } else { false }
    if case .failed(let failure) = row.supervision.failed(
      failure, now: now, isUnplugged: isUnplugged)
    {
      unsafe owner.sourceFailed(row.name, failure)
    }
  }

  private func worked(_ row: Row) {
    row.hasWorked = true
    guard row.supervision.retryAt != nil else { return }
    failingCount -= 1
    if row.supervision.succeeded() != nil { unsafe owner.sourceRecovered(row.name) }
  }
}
