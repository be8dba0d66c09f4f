public import Bytes
import CLinux
public import LinuxIO

/// The log of the agent: a few lines on standard error, and none in normal operation.
///
/// If standard error is systemd's journal, an entry with fields goes to the journal's own socket,
/// or if that is absent, as a line that begins with its priority (`sd-daemon(3)`). On a terminal
/// warnings and errors are coloured, unless `NO_COLOR` is set.
@safe public final class Log {
  /// The severity of a line, by the numbers of `syslog(3)`.
  public enum Level: UInt8, Sendable {
    case error = 3
    case warning, notice, info, debug

    /// Words of `--log-level`, the most severe first.
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

  /// The subject of a line, for `journalctl HOMEWARD_SOURCE=gpsd`.
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
  /// Number of entries that the journal had no room for.
  private var missingCount = 0

  /// Creates a log of lines down to `level`. `waits`: whether to wait for a slow reader; false for
  /// the working agent.
  public init(
    waits: Bool = true, level: Level = .info, descriptor: Int32 = 2,
    journal: @autoclosure () -> JournalSocket = JournalSocket()
  ) {
    self.level = level
    self.descriptor = descriptor
    output = waits ? nil : LineOutput(descriptor)
    isJournal = isJournalStandardError
    self.journal = isJournal ? journal() : nil
    isColored = LinuxIO.isColored(descriptor)
  }

  public func error(_ text: consuming MessageText, _ fields: [Field] = []) {
    write(text, .error, fields)
  }
  public func warning(_ text: consuming MessageText, _ fields: [Field] = []) {
    write(text, .warning, fields)
  }
  public func notice(_ text: consuming MessageText, _ fields: [Field] = []) {
    write(text, .notice, fields)
  }
  public func debug(_ text: consuming MessageText, _ fields: [Field] = []) {
    write(text, .debug, fields)
  }

  /// Whether `debug` logs anything, so that the text of a cycle is built only if needed.
  public var isDebugging: Bool { level == .debug }

  @inline(never)
  public func write(_ text: consuming MessageText, _ level: Level, _ fields: [Field] = []) {
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

  /// Sends an entry to the journal. Returns false if the line needs another way.
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

/// Writes lines to a reader that may be slow or stopped, without waiting for it.
///
/// A line without room is dropped and counted, and the next line that fits reports the number
/// first. The rest of a partly written line goes first: two lines never become one.
public final class LineOutput {
  private let descriptor: Int32
  private var rest: [UInt8] = []
  private var missingCount = 0

  public init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes a line. `missing` creates the line with the number of dropped lines.
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

  /// Returns the number of written bytes; all if the reader has gone permanently.
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

public enum StandardOutput {
  /// Error that prevented output; nil also if the reader has left, which is not a failure. The
  /// program reports it at its end.
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
  /// Returns the bytes for the reader of this descriptor: for a terminal without control
  /// characters, except line ends and the agent's own colours, otherwise unchanged.
  public func shown(on descriptor: Int32) -> [UInt8] {
    isatty(descriptor) == 1 ? forTerminal : self
  }
}

/// Writes to standard output or standard error. Returns whether everything was written; a reader
/// that has left is not reported. Text for standard error is wrapped between words at the width of
/// the terminal.
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

extension [UInt8] {
  /// Lines for standard output, wrapped to the width of the terminal, if it is one.
  public var wrappedForOutput: [UInt8] { wrapped(columns: terminalColumns(STDOUT_FILENO)) }

  /// Returns the text with a line end in place of the space before each word that does not fit into
  /// `columns`; unchanged if that is 0. Continuation lines are indented to the last column of a
  /// table, which two spaces separate.
  func wrapped(columns: Int) -> [UInt8] {
    guard columns > 0 else { return self }
    var wrapped: [UInt8] = []
    var column = 0
    var indent = 0
    var space: (index: Int, column: Int)?
    for byte in self {
      let isAfterSpace = wrapped.last == UInt8(ascii: " ")
      wrapped.append(byte)
      switch byte {
      case UInt8(ascii: "\n"):
        (column, indent, space) = (0, 0, nil)
      case UInt8(ascii: " "):
        column += 1
        if isAfterSpace, column <= columns / 2 { indent = column }
        space = (wrapped.count - 1, column)
      // Continuation bytes of a character take no column.
      case 0x80..<0xC0: continue
      default:
        column += 1
        guard column > columns, let last = space, last.column > indent else { continue }
        let margin = [UInt8](repeating: UInt8(ascii: " "), count: indent)
        wrapped.replaceSubrange(last.index...last.index, with: [UInt8(ascii: "\n")] + margin)
        column += indent - last.column
        space = nil
      }
    }
    return wrapped
  }
}
