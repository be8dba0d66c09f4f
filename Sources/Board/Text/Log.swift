public import Bytes
import CLinux
public import LinuxIO

/// What the agent says while it runs: a few lines on standard error, and none while all is well.
///
/// Where standard error is systemd's journal, an entry with fields goes to the journal's own
/// socket, and where that is away, a line that begins with its priority (`sd-daemon(3)`). On a
/// terminal warnings and errors are coloured, unless `NO_COLOR` is set.
@safe public final class Log {
  /// How serious a line is: the number of `syslog(3)`.
  public enum Level: UInt8, Sendable {
    case error = 3
    case warning, notice, info, debug

    /// What `--log-level` calls them, the most serious one first.
    public static let words: [StaticString] = ["error", "warning", "notice", "info", "debug"]

    public init?(word: [UInt8]) {
      guard let index = Self.words.firstIndex(where: { word.span.elementsEqual($0) }),
        let level = Level(rawValue: Level.error.rawValue + UInt8(index))
      else { return nil }
      self = level
    }

    fileprivate var color: StaticString? {
      switch self {
      case .error: "\u{1B}[31m"
      case .warning: "\u{1B}[33m"
      case .notice, .info, .debug: nil
      }
    }
  }

  /// What a line is about, for `journalctl HOMEWARD_SOURCE=gpsd`.
  public struct Field {
    let name: StaticString
    let value: [UInt8]

    public static func source(_ name: InlineText) -> Field {
      Field(name: "HOMEWARD_SOURCE", value: [UInt8](name.bytes))
    }

    public static func route(_ code: StaticString) -> Field {
      Field(name: "HOMEWARD_ROUTE", value: [UInt8](code))
    }

    public static func cause(_ code: StaticString) -> Field {
      Field(name: "HOMEWARD_CAUSE", value: [UInt8](code))
    }
  }

  public let isJournal: Bool
  private let level: Level
  private let isColored: Bool
  private let descriptor: Int32
  private let output: LineOutput?
  private let journal: JournalSocket?
  /// Of the entries that the journal had no room for.
  private var missingCount = 0

  /// - Parameters:
  ///   - waits: whether a reader of standard error that is slow is waited for. One of the agent at
  ///     its work is not.
  ///   - level: what is less serious is left out.
  ///   - descriptor: where lines go: standard error.
  ///   - journal: the socket of the journal.
  public init(
    waits: Bool = true, level: Level = .info, descriptor: Int32 = 2,
    journal: @autoclosure () -> JournalSocket = JournalSocket()
  ) {
    self.level = level
    self.descriptor = descriptor
    output = waits ? nil : LineOutput(descriptor)
    isJournal = isJournalStandardError
    self.journal = isJournal ? journal() : nil
    isColored = unsafe isatty(descriptor) == 1 && getenv("NO_COLOR") == nil
  }

  public func error(_ text: MessageText, _ fields: [Field] = []) { write(text, .error, fields) }
  public func warning(_ text: MessageText, _ fields: [Field] = []) { write(text, .warning, fields) }
  public func notice(_ text: MessageText, _ fields: [Field] = []) { write(text, .notice, fields) }
  public func info(_ text: MessageText, _ fields: [Field] = []) { write(text, .info, fields) }
  public func debug(_ text: MessageText, _ fields: [Field] = []) { write(text, .debug, fields) }

  /// Whether `debug` says anything: the text of each cycle is not made for nothing.
  public var isDebugging: Bool { level == .debug }

  @inline(never)
  private func write(_ text: MessageText, _ level: Level, _ fields: [Field]) {
    guard level.rawValue <= self.level.rawValue else { return }
    if let journal, tell(journal, text, level, fields) { return }
    let line = line(text, at: level)
    guard let output else {
      writeToTerminal(line, descriptor)
      return
    }
    output.write(line.wrapped(columns: terminalColumns(descriptor))) {
      self.line(missing($0), at: .warning)
    }
  }

  private func missing(_ count: Int) -> MessageText {
    "\(count, "line") of this log missing here: its reader was too slow"
  }

  /// Returns false where the line has to go another way.
  private func tell(
    _ journal: JournalSocket, _ text: MessageText, _ level: Level, _ fields: [Field]
  ) -> Bool {
    if missingCount > 0, journal.send(entry(missing(missingCount), .warning, [])) == .taken {
      missingCount = 0
    }
    switch journal.send(entry(text, level, fields)) {
    case .taken: return true
    case .full where output != nil:
      missingCount += 1
      return true
    case .full, .away: return false
    }
  }

  private func entry(_ text: MessageText, _ level: Level, _ fields: [Field]) -> JournalEntry {
    var entry = JournalEntry()
    entry.append("SYSLOG_IDENTIFIER", [UInt8]("homeward"))
    entry.append("PRIORITY", [UInt8(ascii: "0") + level.rawValue])
    for field in fields { entry.append(field.name, field.value) }
    entry.append("MESSAGE", text.bytes)
    return entry
  }

  private func line(_ text: MessageText, at level: Level) -> [UInt8] {
    var line: MessageText = "\(text)\n"
    if isJournal {
      line = "<\(Int(level.rawValue))>\(line)"
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
    let lines = (missingCount == 0 ? line : missing(missingCount) + line).shown(on: descriptor)
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

extension [UInt8] {
  /// The same, as the reader of this descriptor gets it: a terminal nothing that it would obey, but
  /// what lines of our own end with and are coloured by. All else gets it unchanged.
  public func shown(on descriptor: Int32) -> [UInt8] {
    isatty(descriptor) == 1 ? forTerminal : self
  }
}

/// Writes to standard output or standard error. Returns whether all of it was taken: a reader that
/// closed it does not want to know. What a person reads on standard error has line ends where the
/// terminal would break a word.
@discardableResult @inline(never)
public func writeToTerminal(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
  let isOutput = descriptor == STDOUT_FILENO
  let lines = isOutput ? bytes : bytes.wrapped(columns: terminalColumns(descriptor))
  let bytes = lines.shown(on: descriptor)
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
