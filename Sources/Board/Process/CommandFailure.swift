public import Bytes
public import LinuxIO

/// The failure of a command: the message and the exit code. Each problem of a configuration begins
/// with its place, FILE:LINE:COLUMN, as editors expect.
public struct CommandFailure: Error {
  public let code: ExitCode
  public let text: MessageText

  // Used in hundreds of places, and seldom called.
  @inline(never)
  public init(code: ExitCode, text: MessageText) {
    self.code = code
    self.text = text
  }

  /// The failure of an action that needs sudo. It does not mean that the file has to change.
  public init(notPermitted path: Path) {
    self.init(
      code: .noPermission,
      text: "\(path) is for the agent and root only; run: \(Arguments.commandWithSudo)")
  }
}
