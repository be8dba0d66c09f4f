public import Foundation

/// A terminal without hardware: the end of a person or a device, and the path of the other end,
/// which a program opens.
public final class PseudoTerminal: Sendable {
  /// Descriptor of the end where a person or a device is.
  public let person: Int32
  /// Path at which a program opens the other end.
  public let path: String

  public init() throws(POSIXError) {
    person = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    // `ptsname` has one buffer for all threads: a test would open the terminal of another one.
    var name = [CChar](repeating: 0, count: 64)
    guard person >= 0, grantpt(person) == 0, unlockpt(person) == 0,
      unsafe ptsname_r(person, &name, name.count) == 0
    else {
      let code = errno
      if person >= 0 { close(person) }
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENXIO)
    }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { close(person) }

  /// Opens the program's end; the caller closes it.
  public func opened() throws(POSIXError) -> Int32 {
    let program = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard program >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENXIO) }
    return program
  }

  public func type(_ text: String) {
    var text = text
    _ = text.withUTF8 { unsafe write(person, $0.baseAddress, $0.count) }
  }

  public func setSize(_ columns: UInt16, _ rows: UInt16 = 24) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(person, UInt(TIOCSWINSZ), &size)
  }

  /// Lets the terminal take nothing, as flow control does.
  public func holdUp() throws(POSIXError) {
    let program = try opened()
    defer { close(program) }
    guard tcflow(program, TCOOFF) == 0 else { throw POSIXError(.EIO) }
  }

  /// What appears on the screen, until no program is left to write there.
  public func appearances() -> AsyncStream<[UInt8]> { person.bytes(keeping: self) }

  /// Whether what is typed is shown.
  public var isEchoing: Bool {
    var settings = termios()
    return unsafe tcgetattr(person, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }
}
