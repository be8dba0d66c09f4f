public import Bytes
public import LinuxIO
public import Sensing

/// Receiver of the outcome of sources: each failure once, and its end once.
public protocol SupervisorOwner: AnyObject {
  /// Reports once that a source fails, or fails in another way than before.
  func sourceFailed(_ source: InlineText, _ failure: SourceFailure)

  /// Reports once that a failed source works again.
  func sourceRecovered(_ source: InlineText)

  /// Reports the receiver, of a source with several, whose fixes are used from now on.
  func receiverChosen(_ source: InlineText, _ receiver: InlineText)
}

/// Asks the sources in every cycle, and is the only place that records which of them fail: a
/// failing source neither silences the others nor repeats itself, and its pauses grow.
///
/// Invariants:
/// - The owner receives a recovery only after a failure of the same name.
/// - A failing source is not asked before its pause is over, unless what it listens to is open.
/// - A pause wakes the loop for a source that listens; the others wait for the next cycle, and so
///   does a resting source once its failure lasts.
public final class Supervisor {
  /// A source, or a part of one that fails under its own name.
  private final class Row {
    let name: InlineText
    /// The source; nil for a part, which its source asks.
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
  /// Rows whose sources may have deadlines and pending answers: an `answering` one only from a
  /// request until its answer, since every turn of the loop asks all of these.
  private var listeners: [Row] = []
  /// Number of failing rows; while it is 0, no row is looked up.
  private var failingCount = 0

  /// Time that waiting sources receive after the board slept, because their devices slept too.
  public static let wakingTime: Duration = .seconds(5)

  private var wokeAt = Instant(nanoseconds: .min)

  /// `owner` outlives this, and this outlives the sources.
  public init(owner: any SupervisorOwner) { unsafe self.owner = owner }

  public func add(_ source: any Source) {
    let row = Row(source.name, source)
    rows.append(row)
    listeners.reserveCapacity(rows.count)
    if source.listening != .never, source.listening != .answering { listeners.append(row) }
  }

  // MARK: Asking

  /// Whether a source is still waiting for something of this cycle.
  public var isGathering: Bool { listeners.contains { $0.source?.isGathering == true } }

  public var deadline: Instant? {
    var next: Instant?
    for row in listeners { next = earliest(next, deadline(of: row)) }
    return next
  }

  /// Returns the source's own deadline first: while it has one, its attempt is not over.
  private func deadline(of row: Row) -> Instant? {
    guard let source = row.source else { return nil }
    if let deadline = source.deadline {
      let isSleptThrough = deadline <= wokeAt && !source.guardsTheWorld
      return isSleptThrough ? wokeAt + Self.wakingTime : deadline
    }
    guard let retryAt = row.supervision.retryAt else { return nil }
    return switch source.listening {
    case .closed: retryAt
    case .resting: row.supervision.isLasting ? nil : retryAt
    case .never, .answering, .announcing, .open: nil
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

  /// Records that the board slept until now. Guarding deadlines that passed meanwhile are handled
  /// before anything else.
  public func boardWoke(at moment: Moment) {
    wokeAt = moment.instant
    for row in listeners {
      guard let source = row.source, source.guardsTheWorld, let deadline = source.deadline,
        moment.instant >= deadline
      else { continue }
      source.deadlineReached(at: moment)
    }
  }

  /// Asks the sources that are due, at the start of a cycle.
  public func sample(at moment: Moment) {
    listeners.removeAll { row in
      row.source?.listening == .answering && row.source?.shortfall == nil
    }
    for row in rows {
      if row.supervision.settled(now: moment.instant) { unsafe owner.sourceRecovered(row.name) }
      guard let source = row.source else { continue }
      if row.supervision.isDue(now: moment.instant) || source.listening == .open {
        ask(source, of: row, at: moment)
      }
    }
  }

  /// Handles the kernel's announcement of devices of these kinds: asks their failed sources at
  /// once, and at each announcement those with new values.
  public func devicesChanged(_ kinds: DeviceKinds, at moment: Moment) {
    for row in rows {
      guard let source = row.source, !source.deviceKinds.isDisjoint(with: kinds) else { continue }
      let hasNewValues = !source.deviceKinds.isDisjoint(with: kinds.intersection(.telling))
      if hasNewValues { source.valuesAnnounced() }
      if row.supervision.retryAt != nil || hasNewValues { ask(source, of: row, at: moment) }
    }
  }

  /// Passes another pace to the sources.
  public func paceChanged(to pace: SamplingPace) {
    for row in rows { row.source?.paceChanged(to: pace) }
  }

  /// Stops every source, also a failing one, because the agent ends. Sources that guard the world
  /// are first: others may wait for a disk.
  public func stop(at moment: Moment) {
    for row in rows where row.source?.guardsTheWorld == true { row.source?.stop(at: moment) }
    for row in rows where row.source?.guardsTheWorld == false { row.source?.stop(at: moment) }
  }

  private func ask(_ source: any Source, of row: Row, at moment: Moment) {
    do throws(SourceFailure) {
      try source.sample(at: moment)
      // A listening source reports its success on its own.
      if source.listening == .never { worked(row) }
    } catch .missing where source.isOptional && !row.hasWorked {
      absent(row, now: moment.instant)
    } catch {
      failed(row, error, now: moment.instant)
    }
    guard source.isGathering, !listeners.contains(where: { $0 === row }) else { return }
    listeners.append(row)
  }

  // MARK: Reports of sources

  /// Records that a listening source, or a part of a source, fails. Repetitions are allowed.
  public func failed(_ name: InlineText, _ failure: SourceFailure, now: Instant) {
    if let row = row(of: name) { return failed(row, failure, now: now) }
    let row = Row(name, nil)
    rows.append(row)
    failed(row, failure, now: now)
  }

  /// Records that the optional device of a source is missing.
  public func absent(_ name: InlineText, now: Instant) {
    if let row = row(of: name) { absent(row, now: now) }
  }

  /// Records that a listening source, or a part of a source, works. Repetitions are allowed.
  public func worked(_ name: InlineText) {
    guard failingCount > 0, let row = row(of: name) else { return }
    worked(row)
  }

  /// Passes on what a connected gpsd reports of its receivers. Its session counts the failures,
  /// which are no reason to pause the connection.
  public func receiversReported(_ news: GPSDSession.News, of name: InlineText) {
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
    let report = row.supervision.failed(failure, now: now, isUnplugged: isUnplugged)
    if let report { unsafe owner.sourceFailed(row.name, report) }
  }

  private func worked(_ row: Row) {
    row.hasWorked = true
    guard row.supervision.retryAt != nil else { return }
    failingCount -= 1
    if row.supervision.succeeded() { unsafe owner.sourceRecovered(row.name) }
  }
}
