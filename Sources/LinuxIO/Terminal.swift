import Bytes
import CLinux

/// The person at the other end of a descriptor, if there is one.
public struct Terminal: Sendable {
  /// The longest line that is read; what is beyond it is dropped.
  public static let lineByteCountMax = 1024

  private let descriptor: Int32

  /// Nil where `descriptor` is no terminal: a pipe, a file, a service's nothing.
  public init?(_ descriptor: Int32) {
    guard isatty(descriptor) == 1 else { return nil }
    self.descriptor = descriptor
  }

  /// The terminal on standard input.
  public static var standardInput: Terminal? { Terminal(STDIN_FILENO) }

  /// Reads a line, without its end; nil at the end of input.
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

  /// Reads a line that the terminal does not show. A signal that ends the program meanwhile leaves
  /// the terminal as it was.
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

/// How many columns the terminal at a descriptor has; 0 where it is none, or does not say.
public func terminalColumns(_ descriptor: Int32) -> Int {
  Int(clinux_terminal_columns(descriptor))
}

/// How many rows the terminal at a descriptor has; 0 where it is none, or does not say.
public func terminalRows(_ descriptor: Int32) -> Int { Int(clinux_terminal_rows(descriptor)) }

/// The value of an environment variable; nil where there is none of that name.
public func environmentVariable(_ name: StaticString) -> [UInt8]? {
  let name = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
}

extension Terminal {
  /// What stands before the first picture: the other screen; no cursor; no line that goes on in the
  /// next one.
  public static let screenBeginning: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"

  /// Where pictures are written; -1 before `enterScreen`.
  public static var screenDescriptor: Int32 { clinux_screen_output() }

  /// Writes a picture, as far as the terminal takes it.
  ///
  /// - Returns: how many bytes it took.
  /// - Throws: `.wouldBlock` while the terminal takes nothing, as where its flow is held up, and
  ///   the kernel's error where it is gone.
  public static func writeToScreen(_ bytes: Span<UInt8>) throws(Errno) -> Int {
    try retryingInterrupts {
      unsafe bytes.withUnsafeBytes { unsafe write(screenDescriptor, $0.baseAddress, $0.count) }
    }
  }

  /// Gives the terminal to pictures: keys come at once and are not shown. What is to be seen first
  /// is `screenBeginning`. A process in the background is stopped instead. What ends the process by
  /// a fault of its own leaves the terminal as it was, too.
  public func enterScreen() throws(Errno) {
    _ = try retryingInterrupts { clinux_screen_enter(descriptor) }
  }

  /// Reads the bytes of the keys that were pressed, of which there are some; none at the end of
  /// input.
  public func readKeys() throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = try retryingInterrupts { unsafe read(descriptor, &bytes, bytes.count) }
    return [UInt8](bytes[..<count])
  }

  /// Makes the terminal what it was before; nothing where it was not given to pictures.
  public static func leaveScreen() { clinux_screen_leave() }

  /// Stops this process, as Ctrl-Z does to others, until it is to go on. Its descriptor of signals
  /// is that of a terminal.
  public static func stopProcess() { clinux_stop() }
}

/// Reads all of standard input, as far as `byteCountMax` bytes.
///
/// - Throws: the kernel's error, and `.fileTooLarge`.
public func readStandardInput(byteCountMax: Int) throws(Errno) -> [UInt8] {
  var bytes = ByteBuffer(capacity: byteCountMax + 1)
  while bytes.freeCapacity > 0 {
    var count = 0
    try bytes.fill { (free) throws(Errno) in
      count = try unsafe free.withUnsafeMutableBufferPointer { (free) throws(Errno) in
        try retryingInterrupts { unsafe read(STDIN_FILENO, free.baseAddress, free.count) }
      }
      return count
    }
    guard count > 0 else { return [UInt8](bytes.bytes) }
  }
  throw .fileTooLarge
}
