public import Bytes
import CGPS
public import LinuxIO
public import Sensing

extension GPSDSettings {
  /// Name in failures, with the address.
  fileprivate var subject: InlineText {
    var words = ByteBuffer(capacity: 512)
    words.append("gpsd at ")
    words.append(host)
    words.append(":")
    words.append(decimal: port)
    return InlineText(words.bytes)
  }
}

/// Fixes from gpsd: its TCP socket, its reports parsed by libgps.
///
/// `GPSDSession` decides what to send, when to listen and what to believe; this moves the bytes
/// between it, the socket and libgps.
@safe public final class GPSD {
  /// Maximum number of reads per turn of the loop. The rest is read in the next ones.
  static let readsMax = 16

  public let name: InlineText
  private let host: [UInt8]
  private let port: UInt16
  private let subject: InlineText
  private let loop: EventLoop
  private let sink: any ReadingSink
  private let supervisor: Supervisor
  private let memory: UnsafeMutablePointer<gps_data_t>

  /// Sensors in the order of `ReceiverDetail`; nil for details that are not wanted.
  private var sensors: [DeclaredSensor?]
  private var session: GPSDSession
  private var connection: Descriptor?
  private var watch: Watch?
  private var awaited: Readiness = []

  init(_ settings: GPSDSettings, _ context: SourceContext) {
    guard let memory = unsafe cgps_make() else { preconditionFailure("out of memory at start") }
    unsafe self.memory = memory
    host = settings.host
    port = settings.port
    subject = settings.subject
    loop = context.loop
    sink = context.sink
    supervisor = context.supervisor
    name = InlineText("gpsd")
    sensors = ReceiverDetail.allCases.map { detail in
      guard settings.details.contains(ReceiverDetailSet(detail)) else { return nil }
      return DeclaredSensor(detail.description, minChange: detail.minChange)
    }
    session = GPSDSession(
      name: subject, device: settings.device, details: settings.details, cycle: context.cycle,
      fixTimeout: context.answerTimeout, now: context.now)
  }

  deinit { unsafe cgps_free(memory) }

  // MARK: Actions of the session

  /// Performs the session's action after an event, and delivers the results.
  private func perform(_ action: GPSDSession.Action?, now: Instant) {
    deliver()
    switch action {
    case nil: return
    case .connect: connect(now: now)
    case .drain: drain(now: now)
    case .readReport: readReport(now: now)
    case .askForReports:
      listen(for: .input)
      send(GPSDSession.reportsCommand, now: now)
    case .askForQuiet:
      listen(for: [])
      send(GPSDSession.quietCommand, now: now)
    case .stopListening: listen(for: [])
    case .release:
      disconnect()
      supervisor.worked(name)
    case .fail(let failure):
      // The last results come before the end of the connection.
      deliver()
      disconnect()
      recordAll(failure.value)
      supervisor.failed(name, failure, now: now)
    }
  }

  private func deliver() {
    if let fix = session.takeFix() { sink.record(fix) }
    if let news = session.takeNews() { supervisor.heard(news, of: name) }
    if session.takeDetails() { recordDetails() }
  }

  private func recordDetails() {
    let time = Moment.now.wallTime
    for index in sensors.indices {
      guard let detail = ReceiverDetail(rawValue: index), let value = session.value(of: detail)
      else { continue }
      if case .unknown = value {
        sensors[index]?.recordFailure(.unknown, at: time, in: sink)
      } else {
        sensors[index]?.record(value, at: time, in: sink)
      }
    }
  }

  private func recordAll(_ value: Value) {
    let time = Moment.now.wallTime
    for index in sensors.indices { sensors[index]?.recordFailure(value, at: time, in: sink) }
  }

  private func connect(now: Instant) {
    do throws(Errno) {
      guard let socket = try connectStream(host: host, port: port) else {
        let remedy: StaticText = "write gpsd's host as a numeric address, such as 192.168.1.9"
        return perform(session.failed(.unsupported(subject, remedy: remedy)), now: now)
      }
      watch = try loop.watch(socket.number, for: .output, telling: self)
      awaited = .output
      connection = consume socket
    } catch {
      failed(error, now: now)
    }
  }

  private func connectionReady(now: Instant) {
    guard let error = connection?.connectionError() else {
      session.connected(now: now)
      listen(for: .input)
      return
    }
    failed(error, now: now)
  }

  /// Reads until the socket is empty, in as many turns of the loop as that takes.
  private func drain(now: Instant) {
    do throws(Errno) {
      for _ in 0..<Self.readsMax {
        switch try connection?.read(into: &session.input.buffer) {
        case nil: return
        case .end: return failed(.connectionReset, now: now)
        case .wouldBlock: return perform(session.drained(now: now), now: now)
        case .bytes: readLines(now: now)
        }
      }
      listen(for: .input)
    } catch {
      failed(error, now: now)
    }
  }

  private func readLines(now: Instant) {
    while session.isConnected, let action = session.bytesReceived(now: now) {
      perform(action, now: now)
    }
    deliver()
  }

  private func send(_ command: StaticString, now: Instant) {
    do throws(Errno) {
      // A socket that just connected accepts a line; otherwise it is stuck.
      guard try connection?.send(command) == command.utf8CodeUnitCount else {
        return failed(.connectionReset, now: now)
      }
    } catch {
      failed(error, now: now)
    }
  }

  private func failed(_ error: Errno, now: Instant) {
    let failure: SourceFailure =
      error == .connectionRefused ? .missing(subject) : .failed(subject, errno: error.code)
    perform(session.failed(failure), now: now)
  }

  private func listen(for readiness: Readiness) {
    guard let watch, readiness != awaited else { return }
    awaited = readiness
    // An error here is one of the descriptor: the next read or write fails with it.
    try? loop.change(watch, to: readiness)
  }

  private func disconnect() {
    if let watch { loop.stop(watch) }
    watch = nil
    connection = nil
  }

  // MARK: Reports

  /// Parses a report with libgps, and passes the result to the session.
  private func readReport(now: Instant) {
    let report = unpackReport()
    session.reportRead(report, now: now, wallTime: Moment.now.wallTime)
    if report != nil { supervisor.worked(name) }
  }

  private func unpackReport() -> FixReport? {
    var fix = cgps_fix()
    let result = unsafe session.withReport { unsafe cgps_unpack($0, memory, &fix) }
    guard result >= 0 else { return nil }
    var report = FixReport(
      mode: fix.mode,
      time: fix.time_seconds > 0
        ? WallTime(seconds: fix.time_seconds, nanoseconds: fix.time_nanoseconds) : nil)
    report.latitude = fix.latitude
    report.longitude = fix.longitude
    report.altitudeMeters = fix.altitude_msl
    report.speedMetersPerSecond = fix.speed
    report.climbMetersPerSecond = fix.climb
    report.trackDegrees = fix.track
    report.horizontalErrorMeters = fix.horizontal_error
    report.verticalErrorMeters = fix.vertical_error
    report.eastErrorMeters = fix.east_error
    report.northErrorMeters = fix.north_error
    report.ellipsoidHeightMeters = fix.ellipsoid_height
    (report.earthXMeters, report.earthYMeters) = (fix.earth_x, fix.earth_y)
    report.earthZMeters = fix.earth_z
    return report
  }
}

extension GPSD: Source {
  /// Whether a fix may still come in this cycle.
  public var isGathering: Bool { session.isGathering }

  public var shortfall: SourceFailure? { session.shortfall }

  public var listening: Listening {
    if session.isConnected { return .open }
    return session.isReleasing ? .resting : .closed
  }

  public var deadline: Instant? { session.deadline }

  public func deadlineReached(at moment: Moment) {
    perform(session.deadlineReached(now: moment.instant), now: moment.instant)
  }

  public func paceChanged(to pace: SamplingPace) {
    perform(session.paceChanged(to: pace), now: Moment.now.instant)
    guard !pace.wantsPosition else { return }
    // Nothing is wanted, so nothing is missing.
    supervisor.worked(name)
    recordAll(.unavailable)
  }

  public func sample(at moment: Moment) {
    perform(session.cycleDue(now: moment.instant), now: moment.instant)
  }
}

extension GPSD: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    let now = Moment.now.instant
    if session.isConnected { drain(now: now) } else { connectionReady(now: now) }
  }
}
