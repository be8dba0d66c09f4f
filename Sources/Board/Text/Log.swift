public import Bytes
import CLinux
public import LinuxIO

/// What the agent says while it runs: lines on standard error, and none while all is well.
///
/// Under systemd each line begins with its priority (`sd-daemon(3)`), so that the journal can
/// filter. On a terminal warnings and errors are coloured, unless `NO_COLOR` is set.
@safe public final class Log {
  enum Level: Sendable {
    case error, warning, notice

    var priority: StaticString {
      switch self {
      case .error: "<3>"
      case .warning: "<4>"
      case .notice: "<5>"
      }
    }

    var color: StaticString? {
      switch self {
      case .error: "\u{1B}[31m"
      case .warning: "\u{1B}[33m"
      case .notice: nil
      }
    }
  }

  public let isJournal: Bool
  private let isColored: Bool
  private let output: LineOutput?

  /// - Parameter waits: whether a reader of standard error that is slow is waited for. One of the
  ///   agent at its work is not.
  public init(waits: Bool = true) {
    output = waits ? nil : LineOutput(STDERR_FILENO)
    isJournal = unsafe getenv("JOURNAL_STREAM") != nil
    isColored = unsafe isatty(STDERR_FILENO) == 1 && getenv("NO_COLOR") == nil
  }

  public func error(_ text: MessageText) { write(text, at: .error) }
  public func warning(_ text: MessageText) { write(text, at: .warning) }
  public func notice(_ text: MessageText) { write(text, at: .notice) }

  private func write(_ text: MessageText, at level: Level) {
    let line = line(text, at: level)
    guard let output else {
      writeToTerminal(line, STDERR_FILENO)
      return
    }
    output.write(line.wrapped(columns: terminalColumns(STDERR_FILENO))) {
      self.line("\($0, "line") of this log missing here: its reader was too slow", at: .warning)
    }
  }

  private func line(_ text: MessageText, at level: Level) -> [UInt8] {
    var line: MessageText = "\(text)\n"
    if isJournal {
      line = "\(level.priority)\(line)"
    } else if isColored, let color = level.color {
      line = "\(color)\(text)\u{1B}[0m\n"
    }
    return line.bytes
  }
}

/// Lines for a reader who may be slow, or have stopped, and is never waited for.
///
/// A line for which there is no room is left out and counted, and the next one that finds room says
/// so first. Of a line that was taken in part the rest goes first: two lines never become one.
public final class LineOutput {
  private let descriptor: Int32
  private var rest: [UInt8] = []
  private var missingCount = 0

  public init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// `missing` makes the line that tells how many are missing.
  public func write(_ line: [UInt8], missing: (Int) -> [UInt8]) {
    rest.removeFirst(writeNow(rest))
    guard rest.isEmpty else {
      missingCount += 1
      return
    }
    let lines = missingCount == 0 ? line : missing(missingCount) + line
    let count = writeNow(lines)
    if count == 0 {
      missingCount += 1
    } else {
      missingCount = 0
      rest = [UInt8](lines[count...])
    }
  }

  /// Returns how many bytes were taken; all, where the reader has gone for good.
  private func writeNow(_ bytes: [UInt8]) -> Int {
    var written = 0
    return unsafe bytes.withUnsafeBytes { bytes in
      while written < bytes.count, let start = bytes.baseAddress {
        let count = unsafe clinux_write_now(
          descriptor, start.advanced(by: written), bytes.count - written)
        if count < 0 {
          if descriptor == STDOUT_FILENO { StandardOutput.failed(clinux_errno()) }
          return bytes.count
        }
        if count == 0 { break }
        written += count
      }
      return written
    }
  }
}

/// What became of standard output.
public enum StandardOutput {
  /// Why it did not take all that was written to it; nil too where its reader has left, who does
  /// not want more. The program tells it at its end.
  nonisolated(unsafe) fileprivate static var errorNumber: Int32 = 0

  public static var failure: Errno? {
    let number = unsafe errorNumber
    return number == 0 ? nil : Errno(code: number)
  }

  fileprivate static func failed(_ number: Int32) {
    if number != EPIPE { unsafe errorNumber = number }
  }
}

/// Writes to standard output or standard error. Returns whether all of it was taken: a reader that
/// closed it does not want to know. What a person reads on standard error has line ends where the
/// terminal would break a word.
@discardableResult @inline(never)
public func writeToTerminal(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
  let isOutput = descriptor == STDOUT_FILENO
  let bytes = isOutput ? bytes : bytes.wrapped(columns: terminalColumns(descriptor))
  var written = 0
  return unsafe bytes.withUnsafeBytes { bytes in
    while written < bytes.count {
      let count = unsafe write(
        descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      guard count > 0 else {
        if isOutput { StandardOutput.failed(clinux_errno()) }
        return false
      }
      written += count
    }
    return true
  }
}
