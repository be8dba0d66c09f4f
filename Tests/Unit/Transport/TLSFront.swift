import Foundation
import TestRun

/// A server's TLS, made of Python's: it takes connections, decrypts what comes, and hands it to a
/// plain server on the loopback.
final class TLSFront {
  /// Keys and certificates, made anew for each run with the openssl command. Without that the tests
  /// fail: `Tests/run` installs it.
  struct Authority {
    let directory: URL

    /// An authority that no system knows, its certificate for 127.0.0.1, and one for a client.
    init() throws {
      directory = TestRun.newPlace()
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let status = try ChildProcess.run("/bin/sh", ["-euc", Self.script], in: directory)
      guard status == 0 else { throw Failure(words: "openssl ended with \(status)") }
    }

    func file(_ name: String) -> [UInt8] { [UInt8](directory.appending(path: name).path.utf8) }

    /// Of the server's public key, as `openssl` computes it.
    func pin() throws -> [UInt8] {
      [UInt8]("sha256//".utf8)
        + [UInt8](try Data(contentsOf: directory.appending(path: "pin"))).filter { $0 > 0x20 }
    }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    private static let script = """
      new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }
      new_key authority; new_key server; new_key client
      openssl req -x509 -key authority.key -subj "/CN=Test authority" -days 2 -out authority.pem
      sign() {
        openssl req -new -key "$1.key" -subj "/CN=$1" -addext "subjectAltName=IP:127.0.0.1" |
          openssl x509 -req -CA authority.pem -CAkey authority.key -copy_extensions copy -days 2 \\
            -out "$1.pem"
      }
      sign server; sign client
      openssl pkey -in server.key -pubout -outform DER | openssl dgst -sha256 -binary |
        openssl base64 -A >pin
      """
  }

  let port: UInt16
  private let process: ChildProcess

  /// One before the server at `port`, whose clients may have to show a certificate of the same
  /// authority.
  init(to port: UInt16, by authority: Authority, isAskingForCertificate: Bool = false) throws {
    let output = Pipe()
    process = try ChildProcess(
      "python3", ["-c", Self.program, "\(port)", isAskingForCertificate ? "ask" : ""],
      in: authority.directory, output: .pipe(output), errors: .nothing)
    var line = ""
    while !line.hasSuffix("\n") {
      guard let data = try output.fileHandleForReading.read(upToCount: 1) else { break }
      line += String(decoding: data, as: UTF8.self)
    }
    guard let port = UInt16(line.dropLast()) else { throw Failure(words: "no port: \(line)") }
    self.port = port
  }

  deinit { process.send(signal: SIGKILL) }

  struct Failure: Error { let words: String }

  private static let program = """
    import socket, ssl, sys, threading
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("server.pem", "server.key")
    context.set_alpn_protocols(["h2", "http/1.1"])
    if sys.argv[2]:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations("authority.pem")
    def copy(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
    def serve(plain):
        try:
            client = context.wrap_socket(plain, server_side=True)
        except OSError:
            return
        if client.selected_alpn_protocol() not in (None, "http/1.1"):
            return
        server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        threading.Thread(target=copy, args=(client, server), daemon=True).start()
        copy(server, client)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """
}
