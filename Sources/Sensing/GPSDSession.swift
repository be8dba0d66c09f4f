public import Bytes

/// A conversation with gpsd (`gpsd_json(5)`), without the socket.
///
/// gpsd talks twice a second. At the streaming pace the reports wait in the socket and are read
/// all at once when a cycle is due; only the newest TPV counts. A socket holds half a minute of
/// them, so for longer cycles gpsd is asked to be quiet and to speak when a cycle is due. It
/// keeps the receiver running all the while. What it said before it was quiet still waits in the
/// socket then: a fix of the last cycle, which is read away before gpsd is asked.
public struct GPSDSession: ~Copyable {
  public enum Pace: Sendable { case streaming, onDemand }

  /// The longest cycle whose reports fit the socket.
  public static let streamingCycleMax: Duration = .seconds(30)
  public static let connectionTimeout: Duration = .seconds(5)
  public static let versionTimeout: Duration = .seconds(5)
  /// A gpsd that was asked for reports, and whose last one is older than this, has lost its
  /// receiver.
  public static let silenceMax: Duration = .seconds(60)
  /// gpsd's own longest line (`GPS_JSON_RESPONSE_MAX`), rounded up.
  public static let lineByteCountMax = 16 * 1024
  public static let reportByteCountMax = 4 * 1024
  /// How much of a line that makes no sense is shown.
  static let shownByteCountMax = 24

  public enum Action: Equatable, Sendable {
    /// Open the connection and tell `connected` or `failed`.
    case connect
    /// Read all there is, tell `bytesReceived` as often as needed, and then `drained`.
    case drain
    /// Send a command and tell `bytesReceived` of what comes, at once.
    case askForReports
    /// Send a command; from now on nobody needs to listen.
    case askForQuiet
    /// Nobody needs to listen: what comes is read when a cycle is due.
    case stopListening
    /// Close the connection; this is why.
    case fail(SourceFailure)
  }

  private enum State {
    case disconnected
    case awaitingConnection(until: Instant)
    case awaitingVersion(until: Instant)
    case awaitingFix(until: Instant)
    case streaming
    case quiet
  }

  private let pace: Pace
  private let fixTimeout: Duration
  private let name: InlineText
  private var state = State.disconnected
  private var hasVersion = false
  private var lastReportAt: Instant

  /// Where the driver puts what it reads.
  public var input = ByteBuffer(capacity: GPSDSession.lineByteCountMax)
  /// The newest TPV that was complete, with a NUL after it as libgps wants it, or nothing.
  public private(set) var report = ByteBuffer(capacity: GPSDSession.reportByteCountMax)

  /// - Parameters:
  ///   - name: what messages call this gpsd.
  ///   - pace: how gpsd is listened to.
  ///   - fixTimeout: how long a cycle waits for a fix where it has to wait for one.
  ///   - now: the present.
  public init(name: InlineText, pace: Pace, fixTimeout: Duration, now: Instant) {
    self.name = name
    self.pace = pace
    self.fixTimeout = fixTimeout
    lastReportAt = now
  }

  public static let reportsCommand: StaticString = "?WATCH={\"enable\":true,\"json\":true};\n"
  public static let quietCommand: StaticString = "?WATCH={\"enable\":true,\"json\":false};\n"

  public var isConnected: Bool {
    switch state {
    case .disconnected, .awaitingConnection: false
    default: true
    }
  }

  /// Whether a fix may still come in this cycle.
  public var isAwaitingFix: Bool {
    switch state {
    case .awaitingConnection, .awaitingVersion, .awaitingFix: true
    default: false
    }
  }

  public var deadline: Instant? {
    switch state {
    case .awaitingConnection(let until), .awaitingVersion(let until), .awaitingFix(let until):
      return until
    case .disconnected, .streaming, .quiet: return nil
    }
  }

  // MARK: Events

  public mutating func cycleDue(now: Instant) -> Action? {
    switch state {
    case .disconnected:
      state = .awaitingConnection(until: now + Self.connectionTimeout)
      return .connect
    case .streaming, .quiet: return .drain
    case .awaitingConnection, .awaitingVersion, .awaitingFix: return nil
    }
  }

  public mutating func connected(now: Instant) {
    state = .awaitingVersion(until: now + Self.versionTimeout)
    hasVersion = false
    lastReportAt = now
    input.removeAll()
    report.removeAll()
  }

  /// The connection could not be made, or it ended.
  public mutating func failed(_ failure: SourceFailure) -> Action {
    state = .disconnected
    return .fail(failure)
  }

  /// Reads the lines that are complete in `input`.
  public mutating func bytesReceived(now: Instant) -> Action? {
    var start = 0
    while let end = input.bytes.firstIndex(of: UInt8(ascii: "\n"), from: start) {
      if let failure = lineReceived(start..<end, now: now) { return failed(failure) }
      start = end + 1
    }
    input.removeFirst(start)
    if input.freeCapacity == 0 { return failed(malformed(input.bytes)) }
    guard hasVersion, case .awaitingVersion = state else { return nil }
    state = .awaitingFix(until: now + fixTimeout)
    return .askForReports
  }

  /// All that waited in the socket has been read.
  public mutating func drained(now: Instant) -> Action? {
    switch state {
    case .streaming where now - lastReportAt > Self.silenceMax: return failed(.silent(name))
    case .quiet:
      takeReport()
      state = .awaitingFix(until: now + fixTimeout)
      return .askForReports
    case .disconnected, .awaitingConnection, .awaitingVersion, .awaitingFix, .streaming: return nil
    }
  }

  /// `report` held a fix; a cycle that waited for one has it.
  public mutating func fixFound() -> Action? {
    guard case .awaitingFix = state else { return nil }
    return rest()
  }

  public mutating func deadlineReached(now: Instant) -> Action? {
    guard let deadline, now >= deadline else { return nil }
    switch state {
    case .awaitingConnection, .awaitingVersion: return failed(.silent(name))
    case .awaitingFix where now - lastReportAt > Self.silenceMax: return failed(.silent(name))
    case .awaitingFix: return rest()
    case .disconnected, .streaming, .quiet: return nil
    }
  }

  /// The report has been read.
  public mutating func takeReport() { report.removeAll() }

  /// Lets `body` see the report as the C string that libgps wants; libgps may change it.
  @unsafe
  public mutating func withReport<Result>(_ body: (UnsafeMutablePointer<CChar>) -> Result) -> Result
  {
    precondition(!report.isEmpty, "there is a report")
    return report.withMutableBytes { bytes in
      unsafe bytes.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { preconditionFailure("the NUL is there") }
        return unsafe body(start.assumingMemoryBound(to: CChar.self))
      }
    }
  }

  private mutating func rest() -> Action {
    state = pace == .streaming ? .streaming : .quiet
    return pace == .streaming ? .stopListening : .askForQuiet
  }

  /// Returns what is wrong with a line, or nil.
  private mutating func lineReceived(_ range: Range<Int>, now: Instant) -> SourceFailure? {
    switch ReportClass(input.bytes.extracting(range)) {
    case .version: hasVersion = true
    case .other: break
    case .fix:
      lastReportAt = now
      report.removeAll()
      report.append(range, of: input)
      report.append(0)
      if report.isOverflowed { return malformed(input.bytes.extracting(range)) }
    case nil: return malformed(input.bytes.extracting(range))
    }
    return nil
  }

  /// Shows how the line begins, up to its first digit: what speaks there may tell a position.
  private func malformed(_ found: Span<UInt8>) -> SourceFailure {
    var count = 0
    while count < min(found.count, Self.shownByteCountMax), !found[count].isASCIIDigit {
      count += 1
    }
    return .malformed(name, found: InlineText(found.extracting(0..<count)))
  }
}

/// The kinds of report that matter here. gpsd writes the class first in every one.
private enum ReportClass {
  case version
  case fix
  case other

  init?(_ line: Span<UInt8>) {
    if line.starts(with: "{\"class\":\"TPV\"") {
      self = .fix
    } else if line.starts(with: "{\"class\":\"VERSION\"") {
      self = .version
    } else if line.starts(with: "{\"class\":\"") {
      self = .other
    } else {
      return nil
    }
  }
}
