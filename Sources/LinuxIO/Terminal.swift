import Bytes
import CLinux

public struct Terminal: Sendable {
  /// Maximum length of a line; further bytes are dropped.
  public static let lineByteCountMax = 1024

  private let descriptor: Int32

  /// Nil if `descriptor` is not a terminal: a pipe, a file, or the null device of a service.
  public init?(_ descriptor: Int32) {
    guard isatty(descriptor) == 1 else { return nil }
    self.descriptor = descriptor
  }

  public static var standardInput: Terminal? { Terminal(STDIN_FILENO) }

  /// Reads a line, without its end; returns nil at the end of input.
  public func readLine() throws(Errno) -> [UInt8]? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = try retryingInterrupts { unsafe read(descriptor, &byte, 1) }
      if count == 0 { return line.isEmpty ? nil : line }
      if byte == UInt8(ascii: "\n") { return line }
      if line.count < Self.lineByteCountMax { line.append(byte) }
    }
  }

  /// Reads a line without echo. A signal that ends the program meanwhile restores the terminal.
  public func readSecret() throws(Errno) -> [UInt8]? {
    var line = [UInt8](repeating: 0, count: Self.lineByteCountMax)
    let count = unsafe line.withUnsafeMutableBufferPointer { line in
      guard let base = line.baseAddress else { return 0 }
      return unsafe clinux_read_secret(descriptor, base, line.count)
    }
    guard count >= 0 else {
      if clinux_errno() == 0 { return nil }
      throw .current
    }
    return [UInt8](line[..<count])
  }
}

/// Returns the number of columns of a terminal; 0 if that is unknown or it is not a terminal.
public func terminalColumns(_ descriptor: Int32) -> Int {
  Int(clinux_terminal_columns(descriptor))
}

/// Returns the number of rows of a terminal; 0 if that is unknown or it is not a terminal.
public func terminalRows(_ descriptor: Int32) -> Int { Int(clinux_terminal_rows(descriptor)) }

/// Returns whether a descriptor is a terminal that shows colours, and that its person wants them:
/// `NO_COLOR` is not set, or empty (no-color.org).
public func isColored(_ descriptor: Int32) -> Bool {
  guard isatty(descriptor) == 1, environmentVariable("NO_COLOR")?.isEmpty != false else {
    return false
  }
  let type = environmentVariable("TERM") ?? []
  return !type.isEmpty && !type.span.elementsEqual("dumb")
}

/// Returns the value of an environment variable; nil if it is not set.
public func environmentVariable(_ name: StaticString) -> [UInt8]? {
  let name = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
}

extension Terminal {
  /// Control sequence before the first picture: alternate screen, no cursor, no line wrapping.
  public static let screenBeginning: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"

  /// Descriptor to which pictures are written; -1 before `enterScreen`.
  public static var screenDescriptor: Int32 { clinux_screen_output() }

  /// Writes a picture, as much as the terminal accepts, and returns that number of bytes. Throws
  /// `.wouldBlock` while it accepts nothing, as with stopped flow.
  public static func writeToScreen(_ bytes: Span<UInt8>) throws(Errno) -> Int {
    try retryingInterrupts {
      unsafe bytes.withUnsafeBytes { unsafe write(screenDescriptor, $0.baseAddress, $0.count) }
    }
  }

  /// Prepares the terminal for pictures: keys arrive at once, without echo. The first output must
  /// be `screenBeginning`. A process in the background is stopped instead. A crash of the process
  /// restores the terminal too.
  public func enterScreen() throws(Errno) {
    _ = try retryingInterrupts { clinux_screen_enter(descriptor) }
  }

  /// Waits for pressed keys and reads their bytes; returns none at the end of input.
  public func readKeys() throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = try retryingInterrupts { unsafe read(descriptor, &bytes, bytes.count) }
    return [UInt8](bytes[..<count])
  }

  /// Restores the terminal; does nothing without `enterScreen`.
  public static func leaveScreen() { clinux_screen_leave() }

  /// Stops this process until it is continued, as Ctrl-Z does. Its descriptor of signals must be
  /// that of a terminal.
  public static func stopProcess() { clinux_stop() }
}

/// Reads all of standard input; throws `.fileTooLarge` if it has more than `byteCountMax` bytes.
public func readStandardInput(byteCountMax: Int) throws(Errno) -> [UInt8] {
  var bytes = ByteBuffer(capacity: byteCountMax + 1)
  while bytes.freeCapacity > 0 {
    let count = try unsafe bytes.fillFromKernel { unsafe read(STDIN_FILENO, $0, $1) }
    guard count > 0 else { return [UInt8](bytes.bytes) }
  }
  throw .fileTooLarge
}
