import Bytes
import CLinux
import Foundation
import LinuxIO
import Testing

@testable import Transport

/// Names of a network: name servers that take every question and answer none, as behind a link that
/// is down, and a name that moves.
@Suite(.enabled(if: MountNamespace.isAllowed, "only root can replace /etc/resolv.conf"))
struct NameServerTests {
  /// The resolver goes round these servers three times, in eight seconds, and asks for two kinds of
  /// address.
  private static let configuration = """
    nameserver 127.66.0.1
    nameserver 127.66.0.2
    options timeout:1 attempts:3
    """
  private static let questionCountMax = 2 * 3 * 2

  @Test func theLoopGoesOnBeforeTheResolverHasGivenUp() throws {
    let (result, questionCount) = try MountNamespace.run(
      seeing: ["/etc/resolv.conf": [UInt8](Self.configuration.utf8)]
    ) { try Self.reach("http://homeassistant.example:8123/") }
    #expect(result == .failed(InlineText("timeout was reached")))
    // All of them mean that libcurl waited for the resolver, and the loop with it.
    #expect((1..<Self.questionCountMax).contains(questionCount))
  }

  /// The address of a name at home, which does not lead to it away.
  @Test func aNewConnectionLooksItsNameUpAgain() throws {
    let (first, fault) = try MountNamespace.run(seeing: ["/etc/hosts": Self.hosts("127.0.0.1")]) {
      let loop = try EventLoop()
      let server = try ScriptedServer(loop: loop, replies: [.whole([]), .whole([])])
      defer { server.stop() }
      let client = try Self.client(loop)
      let endpoint = Endpoint(
        address: [UInt8]("http://moving.example:\(server.port)/".utf8), method: .get)
      let first = try RecordingOwner().result(of: endpoint, from: client, on: loop)
      try Data(Self.hosts("127.66.0.3")).write(to: URL(filePath: "/etc/hosts"))
      client.leaveConnection()
      _ = try RecordingOwner().result(of: endpoint, from: client, on: loop)
      return (first, client.fault)
    }
    #expect(first == .answered(status: 200))
    #expect(fault == .connection)
  }

  private static func hosts(_ address: String) -> [UInt8] {
    [UInt8]("\(address) moving.example\n".utf8)
  }

  private static func client(_ loop: EventLoop) throws -> HTTPClient {
    try #require(
      HTTPClient(
        loop: loop, connectTimeout: .milliseconds(1500), requestByteCountMax: 16,
        userAgent: [UInt8]("Homeward/test")))
  }

  /// What became of a request, and how many questions the name servers had got by then.
  private static func reach(_ url: String) throws -> (TransferResult, questionCount: Int) {
    let first = try SilentServer(1)
    let second = try SilentServer(2)
    let loop = try EventLoop()
    let endpoint = Endpoint(address: [UInt8](url.utf8), method: .get)
    let result = try RecordingOwner().result(of: endpoint, from: client(loop), on: loop)
    return (result, first.questionCount + second.questionCount)
  }
}

/// A socket at the port of name servers.
private struct SilentServer: ~Copyable {
  private let descriptor: Descriptor

  /// It listens at 127.66.0.`number`.
  init(_ number: UInt32) throws {
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    try #require(socket >= 0)
    _ = try StreamServer.bind(socket, to: 0x7F42_0000 | number, port: 53)
    descriptor = Descriptor(owning: socket)
  }

  /// The datagrams that came.
  var questionCount: Int {
    var buffer = ByteBuffer(capacity: 1500)
    var count = 0
    while case .bytes? = try? descriptor.read(into: &buffer) {
      count += 1
      buffer.removeAll()
    }
    return count
  }
}

/// A view of the file system in which a test replaces files of the system. It holds for one thread
/// and for the threads that this one starts, such as libcurl's resolver.
enum MountNamespace {
  /// Whether the kernel lets this process make one: root may.
  static let isAllowed = onThread { enter() } ?? false

  struct Refused: Error { let what: String }

  /// Runs `body` on a thread that sees `files`, from a path of the system to what stands there.
  static func run<Result: Sendable>(
    seeing files: [String: [UInt8]], _ body: @escaping @Sendable () throws -> Result
  ) throws -> Result {
    let result = onThread { () -> Swift.Result<Result, any Error> in
      Swift.Result {
        guard enter() else { throw Refused(what: "unshare") }
        for (path, bytes) in files { try replace(path, bytes) }
        return try body()
      }
    }
    return try #require(result).get()
  }

  private static func enter() -> Bool {
    guard unshare(CLONE_NEWNS) == 0 else { return false }
    return unsafe mount(nil, "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0
  }

  private static func replace(_ path: String, _ bytes: [UInt8]) throws {
    let file = URL.temporaryDirectory.appending(path: "homeward-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let target = URL(filePath: path).resolvingSymlinksInPath().path
    guard unsafe mount(file.path, target, nil, UInt(MS_BIND), nil) == 0 else {
      throw Refused(what: path)
    }
  }

  /// Waits for what `body` returns on a thread of its own.
  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) -> Value? {
    let box = Box<Value>()
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      box.value = body()
      isDone.signal()
    }
    isDone.wait()
    return box.value
  }

  /// Written before the semaphore is signalled, and read after.
  private final class Box<Value>: @unchecked Sendable { var value: Value? }
}
