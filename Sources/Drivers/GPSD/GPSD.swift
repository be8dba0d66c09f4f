public import Bytes
import CGPS
public import LinuxIO
public import Sensing

extension GPSDSettings {
  /// Name in failures, with the address.
  fileprivate var subject: InlineText {
    let words: MessageText = "gpsd at \(bytes: host):\(Int(port))"
    return InlineText(words.bytes.span)
  }
}

/// Fixes from gpsd: its TCP socket, its reports parsed by libgps.
///
/// `GPSDSession` decides what to send, when to listen and what to believe; this moves the bytes
/// between it and the socket.
public final class GPSD {
  /// Maximum number of reads per turn of the loop. The rest is read in the next ones.
  static let readsMax = 16

  public let name: InlineText
  private let host: [UInt8]
  private let port: UInt16
  private let subject: InlineText
  private let loop: EventLoop
  private let sink: any ReadingSink
  private let supervisor: Supervisor

  /// Sensors in the order of `ReceiverDetail`; nil for details that are not wanted.
  private var sensors: [DeclaredSensor?]
  private var session: GPSDSession
  private var connection: Descriptor?
  private var watch: Watch?
  private var awaited: Readiness = []

  init(_ settings: GPSDSettings, _ context: SourceContext) {
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
    let libgps = LibGPS()
    session = GPSDSession(
      name: subject, device: settings.device, details: settings.details, cycle: context.cycle,
      fixTimeout: context.answerTimeout, now: context.now,
      parser: { copy, report in libgps.parse(&copy, into: &report) })
  }

  // MARK: Actions of the session

  /// Performs the session's action after an event, and delivers the results.
  private func perform(_ action: GPSDSession.Action?, at moment: Moment) {
    deliver(at: moment)
    switch action {
    case nil: return
    case .connect: connect(at: moment)
    case .drain: drain(at: moment)
    case .askForReports:
      listen(for: .input)
      send(GPSDSession.reportsCommand, at: moment)
    case .askForQuiet:
      listen(for: [])
      send(GPSDSession.quietCommand, at: moment)
    case .stopListening: listen(for: [])
    case .release:
      disconnect()
      supervisor.worked(name)
    case .fail(let failure):
      // The last results came before the end of the connection.
      disconnect()
      recordAll(failure.value, at: moment)
      supervisor.failed(name, failure, now: moment.instant)
    }
  }

  private func deliver(at moment: Moment) {
    if session.takeHasRead() { supervisor.worked(name) }
    if session.hasFix, let fix = session.takeFix() { sink.record(fix) }
    if let news = session.takeNews() { supervisor.receiversReported(news, of: name) }
    if session.takeDetails() { recordDetails(at: moment.wallTime) }
  }

  private func recordDetails(at time: WallTime) {
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

  private func recordAll(_ value: Value, at moment: Moment) {
    for index in sensors.indices {
      sensors[index]?.recordFailure(value, at: moment.wallTime, in: sink)
    }
  }

  private func connect(at moment: Moment) {
    do throws(Errno) {
      guard let socket = try connectStream(host: host, port: port) else {
        let remedy: StaticText = "write gpsd's host as a numeric address, such as 192.168.1.9"
        return perform(session.failed(.unsupported(subject, remedy: remedy)), at: moment)
      }
      watch = try loop.watch(socket.number, for: .output, telling: self)
      awaited = .output
      connection = consume socket
    } catch {
      failed(error, at: moment)
    }
  }

  private func connectionReady(at moment: Moment) {
    guard let error = connection?.connectionError() else {
      session.connected(now: moment.instant)
      listen(for: .input)
      return
    }
    failed(error, at: moment)
  }

  /// Reads until the socket is empty, in as many turns of the loop as that takes.
  private func drain(at moment: Moment) {
    do throws(Errno) {
      for _ in 0..<Self.readsMax {
        switch try connection?.read(into: &session.input.buffer) {
        case nil: return
        case .end: return failed(.connectionReset, at: moment)
        case .wouldBlock: return perform(session.drained(now: moment.instant), at: moment)
        case .bytes: bytesReceived(at: moment)
        }
      }
      listen(for: .input)
    } catch {
      failed(error, at: moment)
    }
  }

  private func bytesReceived(at moment: Moment) {
    perform(
      session.bytesReceived(now: moment.instant, wallTime: moment.wallTime), at: moment)
  }

  private func send(_ command: StaticString, at moment: Moment) {
    do throws(Errno) {
      // A socket that just connected accepts a line; otherwise it is stuck.
      guard try connection?.send(command) == command.utf8CodeUnitCount else {
        return failed(.connectionReset, at: moment)
      }
    } catch {
      failed(error, at: moment)
    }
  }

  private func failed(_ error: Errno, at moment: Moment) {
    let failure: SourceFailure =
      error == .connectionRefused ? .missing(subject) : .failed(subject, errno: error.code)
    perform(session.failed(failure), at: moment)
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
}

extension GPSD: Source {
  public var isGathering: Bool { session.isGathering }

  public var shortfall: SourceFailure? { session.shortfall }

  public var listening: Listening {
    if session.isConnected { return .open }
    return session.isReleasing ? .resting : .closed
  }

  public var deadline: Instant? { session.deadline }

  public func deadlineReached(at moment: Moment) {
    perform(session.deadlineReached(now: moment.instant), at: moment)
  }

  public func paceChanged(to pace: SamplingPace) {
    let moment = Moment.now
    perform(session.paceChanged(to: pace), at: moment)
    guard !pace.wantsPosition else { return }
    // Nothing is wanted, so nothing is missing.
    supervisor.worked(name)
    recordAll(.unavailable, at: moment)
  }

  public func sample(at moment: Moment) {
    perform(session.cycleDue(now: moment.instant), at: moment)
  }
}

extension GPSD: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    let moment = Moment.now
    if session.isConnected { drain(at: moment) } else { connectionReady(at: moment) }
  }
}

/// libgps, which turns the reports of gpsd into numbers.
@safe private final class LibGPS {
  private let memory: UnsafeMutablePointer<gps_data_t>

  init() {
    guard let memory = unsafe cgps_make() else { preconditionFailure("out of memory at start") }
    unsafe self.memory = memory
  }

  deinit { unsafe cgps_free(memory) }

  /// Parses `copy`, a text that ends with NUL and that libgps may change. Returns whether libgps
  /// accepts it.
  func parse(_ copy: inout ByteBuffer, into report: inout GPSDReport) -> Bool {
    var read = cgps_report()
    let result = copy.withMutableBytes { bytes in
      unsafe bytes.withUnsafeMutableBytes { bytes -> Int32 in
        guard let start = bytes.baseAddress else { preconditionFailure("the NUL is there") }
        return unsafe cgps_unpack(start.assumingMemoryBound(to: CChar.self), memory, &read)
      }
    }
    guard result >= 0 else { return false }
    report.fix.take(read)
    report.horizontalDilution = read.horizontal_dilution
    report.headingDegrees = read.heading
    return true
  }
}

extension FixReport {
  fileprivate mutating func take(_ read: cgps_report) {
    mode = read.mode
    latitude = read.latitude
    longitude = read.longitude
    altitudeMeters = read.altitude_msl
    speedMetersPerSecond = read.speed
    climbMetersPerSecond = read.climb
    trackDegrees = read.track
    horizontalErrorMeters = read.horizontal_error
    verticalErrorMeters = read.vertical_error
    eastErrorMeters = read.east_error
    northErrorMeters = read.north_error
    ellipsoidHeightMeters = read.ellipsoid_height
    (earthXMeters, earthYMeters, earthZMeters) = (read.earth_x, read.earth_y, read.earth_z)
  }
}
