import CMicroHTTPD

/// The program `practice-home`.
public enum PracticeHomeCommand {
  public static let version = "0.1.0"

  /// Exit statuses, as sysexits.h has them.
  enum Exit {
    static let ok: Int32 = 0
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let cannotCreate: Int32 = 73
  }

  /// Runs until a signal or the time ends it.
  ///
  /// - Parameter arguments: without the name of the program.
  /// - Returns: the exit status.
  public static func run(_ arguments: [String]) -> Int32 {
    let output = Output(descriptor: 1)
    switch Options.parse(arguments) {
    case .help:
      output.write(Options.help)
      return Exit.ok
    case .version:
      output.write("practice-home \(version), as strict as Home Assistant \(Home.version)\n")
      return Exit.ok
    case .misunderstood(let message):
      Output(descriptor: 2).write("practice-home: \(message). See practice-home --help.\n")
      return Exit.usage
    case .run(let options): return serve(options, output)
    }
  }

  /// Ends the process.
  public static func leave(_ status: Int32) -> Never { exit(status) }

  private static func serve(_ options: Options, _ output: Output) -> Int32 {
    // Before any thread starts, so that every thread leaves these signals to this one.
    practice_block_signals()
    let journal = options.journal.map { unsafe Output(descriptor: creat($0, 0o600)) }
    if let journal, journal.descriptor < 0, let path = options.journal {
      Output(descriptor: 2).write("practice-home: \(path) cannot be written; name another file\n")
      return Exit.cannotCreate
    }
    let reporter = Reporter(options: options, output: output, journal: journal)
    let server: PracticeServer
    do throws(PracticeServer.StartFailure) {
      server = try PracticeServer(port: options.port, household: options.household) { entries in
        reporter.note(entries)
      }
    } catch {
      Output(descriptor: 2).write("practice-home: \(explain(error))\n")
      return Exit.unavailable
    }
    server.fault = options.delay.map(Fault.slow)
    reporter.start(url: server.url, port: server.port)
    var orders = Orders()
    waitForTheEnd(options.duration) {
      if options.obeys { for order in orders.next(from: 0) { obey(order, server) } }
      reporter.refresh(server.counters)
    }
    server.stop()
    reporter.end(server.counters)
    return Exit.ok
  }

  private static func obey(_ order: Orders.Order, _ server: PracticeServer) {
    switch order {
    case .play(let fault): server.fault = fault
    case .suffer(let accident): server.suffer(accident)
    case .misunderstood(let name):
      Output(descriptor: 2).write("practice-home: there is no fault and no accident \(name)\n")
    }
  }

  private static func waitForTheEnd(_ duration: Duration?, _ tick: () -> Void) {
    let end = duration.map { ContinuousClock.now + $0 }
    let pause = Duration.milliseconds(200)
    while true {
      let rest = end.map { $0 - ContinuousClock.now } ?? pause
      if rest <= .zero { return }
      let (seconds, attoseconds) = min(rest, pause).components
      let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
      if practice_wait_for_signal(Int(max(1, milliseconds))) != 0 { return }
      tick()
    }
  }

  static func explain(_ failure: PracticeServer.StartFailure) -> String {
    switch failure {
    case .portInUse(let port):
      "port \(port) on 127.0.0.1 is in use. Stop what listens there (another practice-home?), "
        + "or choose another port, for example --port \(port == .max ? 0 : port + 1), "
        + "or --port 0 for any free one."
    case .notPermitted(let port):
      "port \(port) is not for everybody. Choose one above 1023, for example --port "
        + "\(Options.portDefault)."
    case .refused(let errno): "cannot listen on 127.0.0.1 (errno \(errno))."
    }
  }
}

/// A descriptor that is written whole lines to, from any thread.
struct Output: Sendable {
  let descriptor: Int32

  var isTerminal: Bool { isatty(descriptor) == 1 }
  var columns: Int { Int(practice_terminal_size(descriptor).ws_col) }
  var rows: Int { Int(practice_terminal_size(descriptor).ws_row) }

  /// Gives up silently when the reader of the output is gone: no one is left to tell.
  func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe CMicroHTTPD.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}
