import Foundation
import LinuxIO
import PracticeHome
import TestRun
import Testing

/// A board that is paired and well, with its home, for one fault to be planted in.
final class FaultyWorld {
  let home: PracticeServer
  let board: Board
  private var environment: [String: String] = [:]
  private var starter: [String] = []
  private var gpsd: FakeGPSD?
  private var server: ChildProcess?
  private var tlsURL = ""

  init() async throws {
    (home, board) = try await loggedInHomeAndBoard()
  }

  // MARK: What is planted

  /// More of the configuration.
  func configure(_ settings: String) throws {
    let text = try board.configurationText()
    try board.write(text.trimmingCharacters(in: .newlines) + "\n\(settings)\n", to: "homeward.yaml")
  }

  func useGPSD(_ gpsd: FakeGPSD) throws {
    self.gpsd = gpsd
    board.keepSecret("52.37")
    try configure(gpsd.settings)
  }

  /// Gives the programs a GPIO chip: the fake one, as a library that stands before libc.
  func preloadChip(_ chip: String) throws {
    environment.merge(try board.environment(withChip: chip)) { $1 }
  }

  func runWithoutPrivileges() { starter = RunningAgent.withoutPrivileges }

  static var mayMount: Bool {
    (try? ChildProcess.run("unshare", ["-m", "true"])) == 0
  }

  /// The disk of the state directory, for all programs that start from now on.
  func makeDiskReadOnly() {
    let state = board.state.path
    starter =
      ["unshare", "-m"]
      + RunningAgent.after(
        "mount --bind \(state) \(state) && mount -o remount,bind,ro \(state) || exit")
  }

  /// A server with a certificate that it made itself.
  func useTLS() async throws {
    let script = """
      openssl req -x509 -newkey rsa:2048 -nodes -keyout tls.key -out tls.pem -subj /CN=localhost \\
        -addext subjectAltName=IP:127.0.0.1 -days 2 2>tls.log
      exec python3 -c 'import socket, ssl
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("tls.pem", "tls.key")
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      while True:
        try: context.wrap_socket(server.accept()[0], server_side=True).close()
        except OSError: pass'
      """
    tlsURL = "https://127.0.0.1:\(try await port(ofServer: script))"
    try board.configure(home.url, tlsURL)
  }

  /// A Home Assistant that knows no board, and whose clock is behind.
  func useServer(daysBehind days: Int) async throws {
    let script = """
      exec python3 -c 'import http.server, time
      class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *words): pass
        def date_time_string(self, timestamp=None):
          return super().date_time_string(time.time() - \(days) * 86400)
        def answer(self, body):
          self.send_response(200)
          self.send_header("Content-Length", str(len(body)))
          self.end_headers()
          self.wfile.write(body)
        def do_GET(self): self.answer(b"{\\"providers\\": [{\\"type\\": \\"homeassistant\\"}]}")
        def do_POST(self): self.answer(b"")
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_port, flush=True)
      server.serve_forever()'
      """
    try board.configure(home.url, "http://127.0.0.1:\(try await port(ofServer: script))")
  }

  /// A server that speaks HTTP, reads what it does not understand, and says so.
  func speakTLSToPlain() async throws {
    let script = """
      exec python3 -c 'import socket
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      while True:
        peer = server.accept()[0]
        try:
          peer.recv(65536)
          peer.sendall(b"HTTP/1.1 400 Bad Request\\r\\nConnection: close\\r\\n\\r\\n")
          peer.shutdown(socket.SHUT_WR)
          while peer.recv(65536): pass
        except OSError: pass
        peer.close()'
      """
    tlsURL = "http://127.0.0.1:\(try await port(ofServer: script))"
    try board.configure(home.url, filledIn("{tls-encrypted}"))
  }

  /// The address of that server as it is without TLS.
  func speakPlainToTLS() throws {
    let plain = tlsURL.replacing("https://", with: "http://")
    try board.configure(tlsURL, plain)
    tlsURL = plain
  }

  /// The authority that the configuration names is another one.
  func believeAnotherAuthority() throws {
    let made = try ChildProcess.run(
      "sh",
      [
        "-euc",
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -subj /CN=other"
          + " -days 2 2>other.log",
      ], in: board.folder)
    try #require(made == 0)
    try believe("other.pem")
  }

  func believe(_ authorityFile: String) throws {
    let tls = "tls: { ca_file: \(board.path(authorityFile)) }"
    try board.configure("\"\(tlsURL)\"", "\(tlsURL), \(tls)")
  }

  /// As if a person had set it for another program.
  func setEnvironment(_ name: String, _ value: String) { environment[name] = value }

  private func port(ofServer script: String) async throws -> UInt16 {
    let output = Pipe()
    server = try ChildProcess(
      "sh", ["-euc", script], in: board.folder, output: .pipe(output))
    var lines = output.lines().makeAsyncIterator()
    let line = try #require(await lines.next())
    return try #require(UInt16(line))
  }

  deinit { server?.send(signal: SIGKILL) }

  // MARK: What is asked

  /// What libcurl calls it differs with its version.
  func withoutReason(_ line: String) -> String {
    guard let place = line.range(of: " cannot be reached: ") else { return line }
    return line[..<place.upperBound] + "{reason}"
  }

  func filledIn(_ text: String) -> String {
    let parts = [
      ("{state}", board.state.path), ("{folder}", board.folder.path), ("{url}", home.url),
      ("{tls}", tlsURL),
      ("{tls-encrypted}", tlsURL.replacing("http://", with: "https://")),
      ("{configuration}", board.configuration), ("{gpsd}", "gpsd at 127.0.0.1:\(gpsd?.port ?? 0)"),
    ]
    return parts.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  func started(_ arguments: [String]) throws -> RunningAgent {
    let needsConfiguration = !arguments.contains("--directory")
    return try RunningAgent(
      on: board,
      arguments + (needsConfiguration ? ["--config", board.configuration] : []),
      environment: environment, startedBy: starter)
  }

  func homeward(_ arguments: [String]) async throws -> RunningAgent.Ending {
    try await started(arguments).ending()
  }

  func agent() throws -> RunningAgent { try started(["run", "--json"]) }
}

extension Board {
  /// With this environment, programs have a GPIO chip: the fake one, as a library that stands
  /// before libc.
  func environment(withChip chip: String) throws -> [String: String] {
    let library = path("fakegpio.so")
    if !FileManager.default.fileExists(atPath: library) {
      let object = RunningAgent.executable.deletingLastPathComponent()
        .appending(path: "FakeGPIO.build/fakegpio.c.o")
      let arguments = ["-shared", "-o", library, object.path]
      try #require(try ChildProcess.run("cc", arguments, errors: .inherited) == 0)
    }
    return ["LD_PRELOAD": library, "FAKEGPIO": chip]
  }
}
