public import Bytes

/// A session with gpsd (`gpsd_json(5)`), without the socket, and its fixes.
///
/// At the streaming pace the reports of gpsd wait in the socket and are read together when a cycle
/// is due. A socket holds half a minute of a usual receiver: if the cycles are longer, or the
/// receiver sends more than fits, gpsd is asked to be quiet, and to send when a cycle is due. The
/// fixes that it sent before it was quiet are read and dropped before gpsd is asked.
///
/// If the cycles are longer than `heldCycleMax`, or no position is wanted, the connection is
/// closed, so that gpsd can close the receiver. A receiver that wakes up has `startTimeout` for its
/// fix.
public struct GPSDSession: ~Copyable {
  private enum State {
    case disconnected
    case awaitingConnection(until: Instant)
    case awaitingVersion(until: Instant)
    case draining(until: Instant)
    case awaitingFix(until: Instant)
    case resting
  }

  /// State of an ERROR of gpsd, which is reported once per connection.
  private enum Complaint {
    case none
    case open
    /// A fix came despite the error.
    case over
  }

  private var cycle: Duration
  private var wantsPosition = true
  private let fixTimeout: Duration
  private let name: InlineText
  /// Path of the only receiver to accept; empty for the best receiver.
  private let device: [UInt8]
  private var state = State.disconnected
  private var pace: Pace
  /// Whether gpsd was asked for reports, and not for quiet since.
  private var isStreaming = false
  private var lastReportAt: Instant
  /// Instant at which the socket was last empty.
  private var emptySince: Instant
  /// Time of the last bytes, by the clock of the board.
  private var heardAt: (instant: Instant, wallTime: WallTime)
  /// Whether libgps accepted a report since the last `takeHasRead`.
  private var hasRead = false
  private let reader: GPSDReader
  private var receivers = Receivers()
  private var noFixDetector = NoFixDetector()
  private var chosen: InlineText?
  /// Age of the newest of the reports that this cycle found too old, in nanoseconds.
  private var lag: Int64?
  private var details: ReceiverDetails
  private var hasDetails = false
  private var complaint = Complaint.none
  private var news: News?

  public var input = GPSDInput()

  /// The time between two cycles decides the pace; a cycle waits `fixTimeout` for a fix. `parser`
  /// is libgps.
  public init(
    name: InlineText, device: [UInt8] = [], details: ReceiverDetailSet = [], cycle: Duration,
    fixTimeout: Duration, now: Instant, parser: @escaping GPSDParser
  ) {
    self.name = name
    reader = GPSDReader(parser)
    self.details = ReceiverDetails(details)
    self.device = device
    self.cycle = cycle
    self.fixTimeout = fixTimeout
    pace = Pace(forCyclesOf: cycle)
    lastReportAt = now
    emptySince = now
    heardAt = (now, .released)
  }

  public var isConnected: Bool {
    switch state {
    case .disconnected, .awaitingConnection: false
    default: true
    }
  }

  /// Whether the connection is closed between two cycles, so that the receiver can sleep.
  public var isReleasing: Bool { pace == .releasing }

  /// Whether a fix may still come in this cycle.
  public var isGathering: Bool { deadline != nil }

  public var deadline: Instant? {
    switch state {
    case .awaitingConnection(let until), .awaitingVersion(let until), .draining(let until),
      .awaitingFix(let until):
      return until
    case .disconnected, .resting: return nil
    }
  }

  /// Whether there is a fix to take.
  public var hasFix: Bool { receivers.fix != nil }

  /// Returns the fix of the cycle, once.
  public mutating func takeFix() -> Fix? { receivers.fix.take() }

  /// Returns whether libgps accepted a report since the last call: gpsd and its receiver work.
  public mutating func takeHasRead() -> Bool {
    defer { hasRead = false }
    return hasRead
  }

  /// Returns whether a cycle ended since the last call, so that there are new values.
  public mutating func takeDetails() -> Bool {
    defer { hasDetails = false }
    return hasDetails
  }

  /// Returns the value of a detail that is wanted; nil if the receiver never reported it.
  public func value(of detail: ReceiverDetail) -> Value? {
    details.wanted.contains(ReceiverDetailSet(detail)) ? details[detail] : nil
  }

  /// Returns the event to report, once.
  public mutating func takeNews() -> News? { news.take() }

  /// Reason why the running cycle has no fix; nil if it has one.
  public var shortfall: SourceFailure? { noFixDetector.shortfall(of: name) }

  // MARK: Events

  /// Changes the pace. gpsd is asked to follow with the next cycle, or at once if its receiver may
  /// sleep until then.
  public mutating func paceChanged(to new: SamplingPace) -> Action? {
    cycle = new.cycle
    pace = Pace(forCyclesOf: cycle)
    wantsPosition = new.wantsPosition
    if !wantsPosition { return positionUnwanted() }
    if pace == .releasing, case .resting = state { return release() }
    return nil
  }

  /// Withdraws the open problem: without a wanted position nothing is missing.
  private mutating func positionUnwanted() -> Action? {
    if noFixDetector.isTold || complaint == .open {
      news = .recovered
      complaint = .over
    }
    noFixDetector.connectionEnded()
    if case .disconnected = state { return nil }
    return release()
  }

  public mutating func cycleDue(now: Instant) -> Action? {
    guard wantsPosition else { return nil }
    if let failure = noFixDetector.cycleDue()?.failure(of: name) { news = .failed(failure) }
    switch state {
    case .disconnected:
      receivers.forgetReports()
      state = .awaitingConnection(until: now + Self.connectionTimeout)
      return .connect
    case .resting:
      lag = nil
      state = .draining(until: now + Self.drainTimeout)
      return .drain
    case .awaitingConnection, .awaitingVersion, .draining, .awaitingFix: return nil
    }
  }

  public mutating func connected(now: Instant) {
    state = .awaitingVersion(until: now + Self.versionTimeout)
    input.connected()
    isStreaming = false
    complaint = .none
    lag = nil
    lastReportAt = now
    receivers.forgetReports()
    emptied(now: now)
  }

  /// Records that the connection failed or ended. The reports that came before count.
  public mutating func failed(_ failure: SourceFailure) -> Action {
    if isStreaming {
      readReports()
      _ = choose(now: emptySince)
    }
    // From here on the problem is the connection, if the source reports one.
    if noFixDetector.isTold { news = .recovered }
    noFixDetector.connectionEnded()
    details.connectionEnded()
    state = .disconnected
    return .fail(failure)
  }

  /// Records that the socket was read until it was empty.
  public mutating func drained(now: Instant) -> Action? {
    defer { emptied(now: now) }
    switch state {
    case .draining: return cycleDrained(now: now)
    case .awaitingFix(let until):
      let isPast = receivers.isPast
      if !isPast { readReports() }
      let isPartial = !isPast && receivers.isPartial(ifUnknown: true, now: now)
      if receivers.isComplete, !isPartial, details.isComplete {
        if case .fix = choose(now: now) { return rest() }
      } else if receivers.hasFix {
        state = .awaitingFix(until: min(until, now + Self.othersTimeout))
      }
      return nil
    case .disconnected, .awaitingConnection, .awaitingVersion, .resting: return nil
    }
  }

  private mutating func cycleDrained(now: Instant) -> Action? {
    guard isStreaming else {
      receivers.forgetReports()
      details.forgetLines()
      return askForReports(now: now)
    }
    readReports()
    // After a sleep of the board the socket holds more than one cycle, which is normal.
    let isUsual = now - emptySince <= cycle + cycle
    if isUsual, isTalkative { pace = .onDemand }
    // The cycle begins while a receiver reports.
    if receivers.isPartial(ifUnknown: false, now: now) {
      return askForReports(now: now, for: Self.othersTimeout)
    }
    if case .behind = choose(now: now) {
      if isUsual { pace = .onDemand }
      return askForReports(now: now)
    }
    return now - lastReportAt > Self.silenceMax ? failed(.silent(name)) : rest()
  }

  /// Whether a cycle brings more than fits the socket.
  private var isTalkative: Bool { input.byteCount > Self.streamedByteCountMax }

  public mutating func deadlineReached(now: Instant) -> Action? {
    guard let deadline, now >= deadline else { return nil }
    switch state {
    case .awaitingConnection, .awaitingVersion: return failed(.silent(name))
    case .draining:
      pace = .onDemand
      return failed(.behind(name, seconds: Int((now - emptySince).nanoseconds / 1_000_000_000)))
    case .awaitingFix:
      if !receivers.isPast { readReports() }
      if case .fix = choose(now: now) { return rest() }
      if let lag { return failed(.behind(name, seconds: Int(lag / 1_000_000_000))) }
      return now - lastReportAt > Self.silenceMax ? failed(.silent(name)) : rest()
    case .disconnected, .resting: return nil
    }
  }

  private mutating func askForReports(now: Instant, for timeout: Duration? = nil) -> Action {
    let usual = pace == .releasing ? max(fixTimeout, Self.startTimeout) : fixTimeout
    state = .awaitingFix(until: now + (timeout ?? usual))
    isStreaming = true
    return .askForReports
  }

  private mutating func rest() -> Action {
    state = .resting
    if !details.wanted.isEmpty { takeDetailsOfCycle() }
    guard pace != .releasing else { return release() }
    isStreaming = pace == .streaming
    return isStreaming ? .stopListening : .askForQuiet
  }

  private mutating func release() -> Action {
    state = .disconnected
    isStreaming = false
    return .release
  }

  private mutating func takeDetailsOfCycle() {
    details.cycleEnded(receivers.position, reader)
    hasDetails = true
    guard let dilution = details.horizontalDilution else { return }
    receivers.fix?.estimateError(
      meters: dilution * ReceiverDetails.errorMetersOfDilution, from: .dilution)
  }

  private mutating func emptied(now: Instant) {
    emptySince = now
    input.emptied()
  }

  /// Stores the best fix for `takeFix`.
  private mutating func choose(now: Instant) -> Receivers.Choice {
    let choice = receivers.choose(
      lagMax: (min(cycle, Self.streamingCycleMax) + Self.latencyMax).nanoseconds, now: now)
    if case .behind(let lag) = choice { self.lag = lag }
    guard case .fix = choice else { return choice }
    lag = nil
    if let name = receivers.chosenName, name != chosen, news == nil {
      chosen = name
      news = .chose(name)
    }
    return choice
  }

  // MARK: Reports

  /// Reads the reports that were kept.
  private mutating func readReports() {
    for receiver in receivers.all { readReport(of: receiver) }
  }

  private mutating func readReport(of receiver: Receiver) {
    guard receiver.hasUnread else { return }
    let arrival = Arrival(
      instant: heardAt.instant, wallTime: heardAt.wallTime, since: emptySince)
    let verdict = receiver.readKept(reader, arrival)
    if case .rejected(.unreadable) = verdict {} else { hasRead = true }
    judged(verdict)
  }

  private mutating func judged(_ verdict: FixFilter.Verdict) {
    if noFixDetector.judged(verdict) { news = .recovered }
    guard case .usable = verdict, complaint == .open else { return }
    complaint = .over
    news = .recovered
  }

  // MARK: Lines

  /// Takes the complete lines in `input`. Their reports are read when the socket is empty.
  public mutating func bytesReceived(now: Instant, wallTime: WallTime) -> Action? {
    heardAt = (now, wallTime)
    while let line = input.nextLine() {
      switch line {
      case .foreign(let range): return failed(.malformed(name, found: input.shown(range)))
      case .malformed: judged(.rejected(.unreadable))
      case .said: lineReceived(now: now)
      }
    }
    guard input.isGPSD, case .awaitingVersion = state else { return nil }
    return askForReports(now: now)
  }

  private mutating func lineReceived(now: Instant) {
    switch input.line.reportClass {
    case .error: errorReceived()
    case .version, .other: break
    case .satellites, .attitude:
      let chosen = device.isEmpty ? receivers.speaker : CRC32C(of: device.span).value
      details.lineRead(input.buffer, input.range, input.line.reportClass, chosen: chosen)
    case .position: positionReceived(now: now)
    }
  }

  private mutating func positionReceived(now: Instant) {
    lastReportAt = now
    guard input.range.count <= Self.reportByteCountMax else {
      judged(.rejected(.unreadable))
      return
    }
    guard device.isEmpty || input.part(input.line.device).elementsEqual(device.span) else {
      judged(.rejected(.otherReceiver))
      return
    }
    let receiver = receivers.sender(of: input, now: now)
    if receiver.isDoubted { readReport(of: receiver) }
    let (time, worth) = (input.line.time, input.line.worth)
    if receiver.keep(input.part(0..<input.range.count), time: time, worth) {
      details.epochEnded(of: receiver.checksum)
    }
  }

  /// Reports that gpsd rejected the command, once per connection.
  private mutating func errorReceived() {
    guard complaint == .none else { return }
    complaint = .open
    news = .failed(.refused(name, found: InlineText(input.part(input.line.message))))
  }
}
