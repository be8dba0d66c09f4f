import Bytes
import CLinux
import LinuxIO

/// What the agent says while it runs: lines on standard error, and none while all is well.
///
/// Under systemd each line begins with its priority (`sd-daemon(3)`), so that the journal can
/// filter. On a terminal warnings and errors are coloured, unless `NO_COLOR` is set.
@safe final class Log {
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

  private let isJournal: Bool
  private let isColored: Bool

  init() {
    isJournal = unsafe getenv("JOURNAL_STREAM") != nil
    isColored = unsafe isatty(STDERR_FILENO) == 1 && getenv("NO_COLOR") == nil
  }

  func error(_ text: MessageText) { write(text, at: .error) }
  func warning(_ text: MessageText) { write(text, at: .warning) }
  func notice(_ text: MessageText) { write(text, at: .notice) }

  private func write(_ text: MessageText, at level: Level) {
    var line: MessageText = "\(text)\n"
    if isJournal {
      line = "\(level.priority)\(line)"
    } else if isColored, let color = level.color {
      line = "\(color)\(text)\u{1B}[0m\n"
    }
    writeToTerminal(line.bytes, STDERR_FILENO)
  }
}

/// Writes to standard output or standard error. Returns whether all of it was taken: whoever closed
/// it does not want to know.
@discardableResult
func writeToTerminal(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
  var written = 0
  return unsafe bytes.withUnsafeBytes { bytes in
    while written < bytes.count {
      let count = unsafe write(
        descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}
