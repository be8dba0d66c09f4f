public import Bytes
import CGPS
public import LinuxIO
public import Sensing

/// Fixes from gpsd: its TCP socket, its reports parsed by libgps.
///
/// `GPSDSession` decides what is said and when somebody listens, `FixJudge` what is believed;
/// this moves the bytes between them, the socket and libgps.
@safe public final class GPSD {
  public struct Address: Sendable {
    public let host: [UInt8]
    public let port: UInt16

    public init(host: [UInt8], port: UInt16) {
      self.host = host
      self.port = port
    }
  }

  /// Reads of one wake-up; enough for the reports of half a minute many times over.
  static let readsMax = 16

  public let name: InlineText
  private let address: Address
  private let loop: EventLoop
  private unowned(unsafe) let sink: any ReadingSink
  private let memory: UnsafeMutablePointer<gps_data_t>

  private var session: GPSDSession
  private var judge = FixJudge()
  private var drought = FixDrought()
  private var supervision = Supervision()
  private var connection: Descriptor?
  private var watch: Watch?
  /// When the socket was last found empty: what is read next has come later.
  private var emptySince: Instant

  /// - Parameters:
  ///   - address: where gpsd listens.
  ///   - cycle: how far apart the cycles are, which decides the pace.
  ///   - fixTimeout: how long a cycle waits for a fix where it has to wait for one.
  ///   - loop: who tells that the socket is ready.
  ///   - sink: where the fixes go; it outlives this source.
  ///   - now: the present.
  public init(
    _ address: Address, cycle: Duration, fixTimeout: Duration, loop: EventLoop,
    sink: any ReadingSink, now: Instant
  ) {
    guard let memory = unsafe cgps_make() else { preconditionFailure("out of memory at start") }
    unsafe self.memory = memory
    self.address = address
    self.loop = loop
    unsafe self.sink = sink
    name = InlineText("gpsd")
    emptySince = now
    session = GPSDSession(
      name: name, pace: cycle <= GPSDSession.streamingCycleMax ? .streaming : .onDemand,
      fixTimeout: fixTimeout, now: now)
  }

  deinit { unsafe cgps_free(memory) }

  // MARK: What the session wants

  private func perform(_ action: GPSDSession.Action?, now: Instant) {
    switch action {
    case nil: return
    case .connect: connect(now: now)
    case .drain: drain(now: now)
    case .askForReports:
      listen(for: .input)
      emptySince = now
      send(GPSDSession.reportsCommand, now: now)
    case .askForQuiet:
      listen(for: [])
      send(GPSDSession.quietCommand, now: now)
    case .stopListening: listen(for: [])
    case .fail(let failure):
      disconnect()
      if case .failed(let failure) = supervision.failed(failure, now: now) {
        unsafe sink.sourceFailed(name, failure)
      }
    }
  }

  private func connect(now: Instant) {
    do throws(Errno) {
      guard let socket = try connectStream(host: address.host, port: address.port) else {
        let remedy: StaticText = "write gpsd's host as a numeric address, such as 192.168.1.9"
        return perform(session.failed(.unsupported(name, remedy: remedy)), now: now)
      }
      watch = try loop.watch(socket.number, for: .output, telling: self)
      connection = consume socket
    } catch {
      failed(error, now: now)
    }
  }

  private func connectionReady(now: Instant) {
    guard let error = connection?.connectionError() else {
      session.connected(now: now)
      listen(for: .input)
      emptySince = now
      return
    }
    failed(error, now: now)
  }

  /// Reads until the socket is empty, but not for ever.
  private func drain(now: Instant) {
    var isEmpty = false
    defer {
      readReport(now: now)
      if isEmpty { emptySince = now }
    }
    do throws(Errno) {
      for _ in 0..<Self.readsMax {
        switch try connection?.read(into: &session.input) {
        case nil: return
        case .end: return failed(.connectionReset, now: now)
        case .wouldBlock:
          isEmpty = true
          return perform(session.drained(now: now), now: now)
        case .bytes: perform(session.bytesReceived(now: now), now: now)
        }
      }
    } catch {
      failed(error, now: now)
    }
  }

  private func send(_ command: StaticString, now: Instant) {
    do throws(Errno) {
      // A socket that just connected takes a line; one that does not is stuck.
      guard try connection?.send(command) == command.utf8CodeUnitCount else {
        return failed(.connectionReset, now: now)
      }
    } catch {
      failed(error, now: now)
    }
  }

  private func failed(_ error: Errno, now: Instant) {
    let failure: SourceFailure =
      error == .connectionRefused ? .missing(name) : .failed(name, errno: error.code)
    perform(session.failed(failure), now: now)
  }

  private func listen(for readiness: Readiness) {
    // An error here is one of the descriptor, which the next read or write meets again.
    if let watch { try? loop.change(watch, to: readiness) }
  }

  private func disconnect() {
    if let watch { loop.stop(watch) }
    watch = nil
    connection = nil
    drought.connectionEnded()
  }

  // MARK: Reports

  /// Hands the newest report to libgps and judges what it says.
  private func readReport(now: Instant) {
    guard !session.report.isEmpty else { return }
    let report = unpackReport()
    session.takeReport()
    guard let report else { return }
    // The last words of a connection that has ended are no recovery.
    if session.isConnected, supervision.succeeded() != nil { unsafe sink.sourceRecovered(name) }
    let verdict = judge.reported(report, notBefore: emptySince)
    if drought.judged(verdict) { unsafe sink.sourceRecovered(name) }
    guard case .usable(let fix) = verdict else { return }
    unsafe sink.record(fix)
    perform(session.fixFound(), now: now)
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
    report.trackDegrees = fix.track
    report.horizontalErrorMeters = fix.horizontal_error
    report.verticalErrorMeters = fix.vertical_error
    return report
  }
}

extension GPSD: Source {
  /// Whether a fix may still come in this cycle.
  public var isGathering: Bool { session.isAwaitingFix }

  public var deadline: Instant? {
    let retryAt = session.isConnected || session.isAwaitingFix ? nil : supervision.retryAt
    return session.deadline ?? retryAt
  }

  public func deadlineReached(at moment: Moment) {
    if let deadline = session.deadline {
      if moment.instant >= deadline {
        perform(session.deadlineReached(now: moment.instant), now: moment.instant)
      }
    } else {
      sample(at: moment)
    }
  }

  public func sample(at moment: Moment) {
    guard session.isConnected || supervision.isDue(now: moment.instant) else { return }
    if let reason = drought.cycleDue() {
      unsafe sink.sourceFailed(name, .withoutFix(name, why: reason))
    }
    perform(session.cycleDue(now: moment.instant), now: moment.instant)
  }
}

extension GPSD: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    let now = Moment.now.instant
    if session.isConnected { drain(now: now) } else { connectionReady(now: now) }
  }
}
