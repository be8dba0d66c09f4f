import Bytes
import CLinux

/// Why a file is no program to be started.
public enum ProgramFlaw: Error, Equatable, Sendable {
  /// It is not there, or cannot be started.
  case kernel(Errno)
  /// It is a directory, or something else that is no file.
  case notAFile
  /// It belongs to this user, who is neither root nor who starts it: they could have any command
  /// run as another user.
  case foreignOwner(UInt32)
  /// Every user may change it, with the same consequence.
  case writableByAll
  /// The directory that it is in, or one above, belongs to this user, who could replace it.
  case foreignDirectory(Path, owner: UInt32)
  /// Every user may replace what is in that directory.
  case openDirectory(Path)
}

/// What speaks against a program that `user` is to run; nil where nothing does.
public func flaw(ofProgramAt path: Path, runBy user: UInt32) -> ProgramFlaw? {
  let status: FileStatus
  do throws(Errno) { status = try FileStatus(at: path) } catch { return .kernel(error) }
  guard status.isRegularFile else { return .notAFile }
  guard status.user == 0 || status.user == user else { return .foreignOwner(status.user) }
  guard status.mode & 0o002 == 0 else { return .writableByAll }
  return flaw(ofDirectoriesAbove: path, user)
    ?? resolved(path).flatMap {
      $0 == path ? nil : flaw(ofDirectoriesAbove: $0, user)
    }
}

/// Who may write a directory may replace what is in it; in one with the sticky bit, such as /tmp,
/// only who owns that.
private func flaw(ofDirectoriesAbove path: Path, _ user: UInt32) -> ProgramFlaw? {
  var directory = path
  repeat {
    directory = directory.parent
    let status: FileStatus
    do throws(Errno) { status = try FileStatus(at: directory) } catch { return .kernel(error) }
    guard status.user == 0 || status.user == user else {
      return .foreignDirectory(directory, owner: status.user)
    }
    if status.mode & 0o002 != 0, status.mode & mode_t(S_ISVTX) == 0 {
      return .openDirectory(directory)
    }
  } while directory.bytes.count > 1
  return nil
}

/// Where a path leads without any links; nil where the kernel does not say.
private func resolved(_ path: Path) -> Path? {
  var place = [UInt8](repeating: 0, count: Int(PATH_MAX))
  let length = unsafe path.withCString { path in
    unsafe place.withUnsafeMutableBytes { unsafe clinux_real_path(path, $0.baseAddress) }
  }
  return length < 0 ? nil : Path([UInt8](place[..<Int(length)]))
}

/// The user who this process acts as.
public var userOfProcess: UInt32 { geteuid() }

/// A program that this process started, in a session of its own. It has no descriptor of this
/// process but the pipe that its output goes to, and of its environment only what it is given.
public final class ChildProgram {
  public enum Ending: Equatable, Sendable {
    case exited(status: Int32)
    case signaled(Int32)
  }

  /// It becomes ready for input at the end of the program.
  public let process: Descriptor
  /// What it writes to standard output and standard error; reading never waits.
  public let output: Descriptor
  private let number: pid_t
  /// Then its number may be another program's.
  private var isTaken = false

  /// - Parameters:
  ///   - path: the program, which is not looked for anywhere else.
  ///   - arguments: what follows its name; without NUL.
  ///   - environment: `NAME=VALUE` each; without NUL.
  /// - Throws: the kernel's error, also where the file is no program.
  public init(
    starting path: Path, arguments: [[UInt8]], environment: [[UInt8]]
  ) throws(Errno) {
    let words = [path.bytes] + arguments
    var program = clinux_program(number: 0, process: -1, output: -1)
    let text = Self.terminated(words)
    let variables = Self.terminated(environment)
    _ = try unsafe path.withCString { (path) throws(Errno) in
      try unsafe text.withCString { (text) throws(Errno) in
        try unsafe variables.withCString { (variables) throws(Errno) in
          try retryingInterrupts {
            unsafe clinux_program_start(
              path, text, Int32(words.count), variables, Int32(environment.count), &program)
          }
        }
      }
    }
    number = program.number
    process = Descriptor(owning: program.process)
    output = Descriptor(owning: program.output)
  }

  /// Asks it to end, with everything of its process group.
  public func terminate() { send(SIGTERM) }

  /// Ends it, with everything of its process group.
  public func kill() { send(SIGKILL) }

  private func send(_ signal: Int32) {
    if !isTaken { clinux_program_signal(number, signal) }
  }

  /// Waits for its end, so long at most. Returns whether it has ended.
  public func hasEnded(within timeout: Duration) -> Bool {
    let milliseconds = Int32(clamping: timeout.nanoseconds / 1_000_000)
    return clinux_wait_readable(process.number, milliseconds) > 0
  }

  /// How it ended, once it has; what it left behind of its process group is ended. Nil while it
  /// runs, and once its end was taken.
  public func takeEnding() -> Ending? {
    guard !isTaken else { return nil }
    var status: Int32 = 0
    let result = unsafe clinux_program_ending(number, &status)
    guard result > 0 else { return nil }
    isTaken = true
    return result == 1 ? .exited(status: status) : .signaled(status)
  }

  private struct Texts {
    let bytes: [UInt8]

    @unsafe
    func withCString<Result, Failure: Error>(
      _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      unsafe try bytes.span.withUnsafeBufferPointer { (bytes) throws(Failure) in
        guard let start = bytes.baseAddress else { preconditionFailure("a NUL is always there") }
        return unsafe try body(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
      }
    }
  }

  private static func terminated(_ texts: [[UInt8]]) -> Texts {
    var bytes: [UInt8] = []
    for text in texts {
      precondition(!text.contains(0), "the configuration refuses one")
      bytes += text
      bytes.append(0)
    }
    return Texts(bytes: bytes.isEmpty ? [0] : bytes)
  }
}
