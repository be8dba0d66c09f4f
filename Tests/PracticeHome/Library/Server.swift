import CMicroHTTPD
import Synchronization

/// The practice home on a socket of 127.0.0.1. Requests reach `Home` one at a time, each on a
/// thread of its own connection.
public final class PracticeServer: Sendable {
  /// Why a server did not start.
  public enum StartFailure: Error, Equatable {
    case portInUse(UInt16)
    case notPermitted(UInt16)
    case refused(errno: Int32)
  }

  /// What libmicrohttpd may use for the headers of one connection.
  static let connectionByteCount = 64 << 10
  /// A program that this process is about to start holds copies of all sockets until it runs, also
  /// of the socket of a server that was stopped. Ten seconds are enough for that on any machine.
  private static let attemptsToContinue = 200

  /// The C library's server, until `stop` ends it.
  @safe private struct Daemon: @unchecked Sendable {
    let pointer: OpaquePointer
    let context: Unmanaged<Host>
  }

  private let host: Host
  private let daemon: Mutex<Daemon?>
  public let port: UInt16
  /// The long-lived access token of the home.
  public let token: String

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - port: 0 for any free one.
  ///   - household: who lives there, and the limits of the home.
  ///   - observer: is told of new entries of the journal, on a thread of the server.
  /// - Throws: `StartFailure` if the port cannot be had.
  public convenience init(
    port: UInt16 = 0, household: Household = Household(),
    observer: (@Sendable ([JournalEntry]) -> Void)? = nil
  ) throws(StartFailure) {
    try self.init(port: port, host: Host(home: Home(household), observer: observer))
  }

  /// The same with nothing unusual but the token.
  public convenience init(
    port: UInt16 = 0, token: String, observer: (@Sendable ([JournalEntry]) -> Void)? = nil
  ) throws(StartFailure) {
    var household = Household()
    household.token = token
    try self.init(port: port, household: household, observer: observer)
  }

  /// Goes on where a stopped server ended: at its address, with all that its home remembers.
  public convenience init(continuing stopped: PracticeServer) throws(StartFailure) {
    let home = stopped.withHome { $0 }
    try self.init(
      port: stopped.port, host: Host(home: home, observer: stopped.host.observer),
      attempts: Self.attemptsToContinue)
  }

  private init(port: UInt16, host: Host, attempts: Int = 1) throws(StartFailure) {
    self.host = host
    token = host.withHome { $0.household.token }
    let context = unsafe Unmanaged.passRetained(host)
    guard let pointer = try unsafe Self.start(port, context, attempts: attempts) else {
      unsafe context.release()
      throw .portInUse(port)
    }
    self.port = unsafe practice_http_port(pointer)
    daemon = unsafe Mutex(Daemon(pointer: pointer, context: context))
  }

  /// Nil where the port is not free at any attempt.
  private static func start(
    _ port: UInt16, _ context: Unmanaged<Host>, attempts: Int
  ) throws(StartFailure) -> OpaquePointer? {
    for attempt in 1...attempts {
      var error: Int32 = 0
      if let pointer = unsafe practice_http_start(
        port, handleRequest, context.toOpaque(), completeRequest, connectionByteCount, &error)
      {
        return unsafe pointer
      }
      guard error == EADDRINUSE else {
        unsafe context.release()
        throw failure(error, port)
      }
      if attempt < attempts { usleep(50_000) }
    }
    return nil
  }

  private static func failure(_ error: Int32, _ port: UInt16) -> StartFailure {
    switch error {
    case EACCES, EPERM: .notPermitted(port)
    default: .refused(errno: error)
    }
  }

  /// What a client is configured with.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Ends every connection, hanging ones included, and returns when all are closed. A stopped
  /// server still shows its home.
  public func stop() {
    host.stopSignal.give()
    let running = daemon.withLock { daemon in
      defer { daemon = nil }
      return daemon
    }
    guard let running else { return }
    host.hangUp()
    unsafe MHD_stop_daemon(running.pointer)
    unsafe running.context.release()
  }

  deinit { stop() }
}

// MARK: The home

extension PracticeServer {
  /// Looks at the home, or changes it, between two requests.
  public func withHome<Result: Sendable>(_ body: (inout Home) -> sending Result) -> Result {
    host.withHome(body)
  }

  /// How to misbehave from the next request on, or nil to behave.
  public var fault: Fault? {
    get { withHome { $0.fault } }
    set { withHome { $0.fault = newValue } }
  }

  /// What happened, oldest first.
  public var journal: [JournalEntry] { withHome { $0.journal } }
  public var counters: Counters { withHome { $0.counters } }
  /// Requests to the home that arrived whole, of whatever kind and whatever became of them. Those
  /// for its page are none.
  public var requestCount: Int { host.requestCount }

  public func state(of entityID: String) -> EntityState? { withHome { $0.state(of: entityID) } }
  /// Deletes every registration.
  public func forgetAll() { withHome { $0.forgetAll() } }
  /// Plays a restart of Home Assistant, with as much silence as is asked for.
  public func restart(_ startup: Startup = .immediate) {
    withHome { $0.restart(now: .now(), startup) }
  }
  /// Lets something happen that clients must get over.
  public func suffer(_ accident: Accident) { withHome { $0.suffer(accident, now: .now()) } }
}
