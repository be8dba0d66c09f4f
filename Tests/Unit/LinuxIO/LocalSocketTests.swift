import Bytes
import CLinux
import LinuxIO
import Testing

@Suite struct LocalSocketTests {
  private static let timeout: Duration = .seconds(30)

  private let directory: TestDirectory
  private var path: Path { directory.path("agent.socket") }

  init() throws { directory = try TestDirectory() }

  private func listener(waitingMax: Int32 = 4) throws(Errno) -> LocalListener {
    try LocalListener(at: path, waitingMax: waitingMax)
  }

  private func accepted(by listener: borrowing LocalListener) throws -> Descriptor {
    guard let connection = try listener.accept() else { throw Errno.noData }
    return connection
  }

  /// Why no client can connect, or nil.
  private func failure(at path: Path, within timeout: Duration = timeout) -> Errno? {
    do throws(Errno) {
      _ = try connectLocal(to: path, timeout: timeout)
      return nil
    } catch { return error }
  }

  @Test func whatOneSideSendsTheOtherReadsToTheEnd() throws {
    let listener = try listener()
    let isNobodyThere = try listener.accept() == nil
    #expect(isNobodyThere)
    let client = try connectLocal(to: path, timeout: Self.timeout)
    do {
      let sent = try accepted(by: listener).send([UInt8]("hello".utf8).span)
      #expect(sent == 5)
    }
    var buffer = ByteBuffer(capacity: 16)
    #expect(try client.read(into: &buffer) == .bytes(5))
    #expect([UInt8](buffer.bytes) == [UInt8]("hello".utf8))
    #expect(try client.read(into: &buffer) == .end)
  }

  /// Whatever the process lets others do with its files.
  @Test func onlyTheOwnerMayConnect() throws {
    let before = umask(0)
    defer { umask(before) }
    let listener = try listener()
    let mode = try directory.mode(of: "agent.socket")
    #expect(mode == mode_t(S_IFSOCK) | 0o600)
    try listener.remove()
  }

  @Test func aSocketThatAKilledProcessLeftGivesWay() throws {
    do { _ = try listener() }
    #expect(try directory.names() == ["agent.socket"], "the socket was left there")
    #expect(failure(at: path) == .connectionRefused)
    let next = try listener()
    #expect(failure(at: path) == nil)
    try next.remove()
    #expect(failure(at: path) == .noSuchFile)
    #expect(try directory.names() == [])
  }

  @Test func aPathThatDoesNotFitIsNamedAndNotCut() throws {
    // 108 bytes with the NUL (`unix(7)`).
    let room = 107 - directory.path("").bytes.count
    let longest = directory.path(String(repeating: "s", count: room))
    let tooLong = directory.path(String(repeating: "s", count: room + 1))
    let listener = try LocalListener(at: longest, waitingMax: 4)
    #expect(failure(at: longest) == nil)
    try listener.remove()
    #expect(throws: Errno.nameTooLong) { _ = try LocalListener(at: tooLong, waitingMax: 4) }
    #expect(failure(at: tooLong) == .nameTooLong)
  }

  @Test func aDirectoryThatIsNotThereHasNoListener() {
    let nowhere = directory.path("none") / "agent.socket"
    #expect(throws: Errno.noSuchFile) { _ = try LocalListener(at: nowhere, waitingMax: 4) }
    #expect(failure(at: nowhere) == .noSuchFile)
  }

  /// The listener hangs, and its queue is full.
  @Test func whoConnectsWaitsNoLongerThanItWants() throws {
    let listener = try listener(waitingMax: 0)
    let first = try connectLocal(to: path, timeout: .milliseconds(1))
    #expect(failure(at: path, within: .milliseconds(1)) == .wouldBlock)
    var buffer = ByteBuffer(capacity: 16)
    #expect(try first.read(into: &buffer) == .wouldBlock, "nor does reading")
    try listener.remove()
  }

  /// The kernel keeps what a peer does not read, and says when it is enough.
  @Test func aPeerThatDoesNotReadDoesNotHoldTheListenerUp() throws {
    let listener = try listener()
    let peer = try connectLocal(to: path, timeout: Self.timeout)
    let connection = try accepted(by: listener)
    let page = [UInt8](repeating: 0, count: 4096)
    var taken = 0
    while true {
      let count = try connection.send(page.span)
      guard count > 0 else { break }
      taken += count
    }
    #expect(taken >= 32 * 1024)
    _ = consume peer
  }
}
