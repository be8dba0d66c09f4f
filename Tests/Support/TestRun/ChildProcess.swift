public import Foundation
import Synchronization

/// A program that a test starts. It is killed where the run of the tests ends before it, and where
/// it takes longer than its timeout.
///
/// Foundation's `Process` cannot be used beside hundreds of other tests: it reads past the end of a
/// buffer where more than 1,364 descriptors are open, and it takes a program that closes what it
/// inherited for one that has ended.
///
///     let output = Pipe()
///     let child = try ChildProcess("/bin/echo", ["Hello"], output: .pipe(output))
///     let words = try output.fileHandleForReading.readToEnd()
///     #expect(await child.ending() == 0)
public final class ChildProcess: Sendable {
  /// What one of its standard descriptors is.
  public enum Stream {
    case inherited
    case nothing
    case file(FileHandle)
    /// The program has one end of it, the test the other.
    case pipe(Pipe)

    fileprivate func descriptor(
      _ end: KeyPath<Pipe, FileHandle>, inherited number: Int32
    ) -> Int32? {
      switch self {
      case .inherited: number
      case .nothing: nil
      case .file(let file): file.fileDescriptor
      case .pipe(let pipe): pipe[keyPath: end].fileDescriptor
      }
    }
  }

  /// Why a program does not start.
  public struct StartFailure: Error {
    public let program: String
    public let error: POSIXError
  }

  public let processIdentifier: pid_t
  private let ended = Mutex<Ended>(Ended())
  private let hasEnded = DispatchGroup()

  private struct Ended {
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  /// - Parameters:
  ///   - program: a path, or a name that is looked up in `PATH`.
  ///   - arguments: without the name of the program.
  ///   - environment: variables beside those of this process.
  ///   - directory: where it works; nil for that of this process.
  ///   - input: its standard input.
  ///   - output: its standard output.
  ///   - errors: its standard error.
  ///   - timeout: longer than it may take; only a program that hangs gets there.
  /// - Throws: `StartFailure`.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    in directory: URL? = nil, input: Stream = .nothing, output: Stream = .inherited,
    errors: Stream = .inherited, timeout: DispatchTimeInterval = .seconds(1200)
  ) throws {
    TestRun.outlivesBrokenPipes
    let ends = [
      input.descriptor(\.fileHandleForReading, inherited: 0),
      output.descriptor(\.fileHandleForWriting, inherited: 1),
      errors.descriptor(\.fileHandleForWriting, inherited: 2),
    ]
    do {
      processIdentifier = try spawn(
        [program] + arguments, with: environment, streams: ends, in: directory?.path)
    } catch {
      throw StartFailure(program: program, error: error)
    }
    // A pipe ends when the last program that has its end closes it.
    if case .pipe(let pipe) = input { try pipe.fileHandleForReading.close() }
    for case .pipe(let pipe) in [output, errors] { try pipe.fileHandleForWriting.close() }
    Attendant.ofThisRun.watch(processIdentifier)
    hasEnded.enter()
    Thread.detachNewThread { [self] in waitForEnd() }
    DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { [weak self] in
      self?.send(signal: SIGKILL)
    }
  }

  /// Until it is reaped its number belongs to no other program.
  private func waitForEnd() {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0 {
      guard errno == EINTR else { fatalError("program \(processIdentifier) cannot be waited for") }
    }
    let (status, waiting) = ended.withLock { ended in
      var status: Int32 = 0
      unsafe waitpid(processIdentifier, &status, 0)
      // The low bits are the signal that ended it; otherwise its exit status is above them.
      let ending = status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
      ended.status = ending
      defer { ended.waiting = [] }
      return (ending, ended.waiting)
    }
    Attendant.ofThisRun.forget(processIdentifier)
    for continuation in waiting { continuation.resume(returning: status) }
    hasEnded.leave()
  }

  public var isRunning: Bool { ended.withLock { $0.status == nil } }

  public func send(signal: Int32) {
    ended.withLock { ended in
      if ended.status == nil { kill(processIdentifier, signal) }
    }
  }

  /// Asks it to end.
  public func terminate() { send(signal: SIGTERM) }

  /// Waits for its end. Returns its exit status, or the number of the signal that ended it.
  public func ending() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status = ended.withLock { ended in
        if ended.status == nil { ended.waiting.append(continuation) }
        return ended.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// The same for a test that may block its thread.
  @available(*, noasync, message: "it blocks; use ending()")
  @discardableResult
  public func waitUntilEnd() -> Int32 {
    hasEnded.wait()
    return ended.withLock { $0.status ?? -1 }
  }

  /// Runs a program to its end. Returns its exit status, or the number of the signal that ended it.
  public static func run(
    _ program: String, _ arguments: [String], in directory: URL? = nil, errors: Stream = .nothing
  ) throws -> Int32 {
    try ChildProcess(program, arguments, in: directory, output: .nothing, errors: errors)
      .waitUntilEnd()
  }
}
