public import Bytes
public import LinuxIO

/// Why a command cannot begin or go on: what the person is told, and how the program ends. Each
/// line of what is wrong in a configuration begins with its place, FILE:LINE:COLUMN, as editors
/// want it.
public struct CommandFailure: Error {
  public let code: ExitCode
  public let text: MessageText

  // Made in hundreds of places, and seldom.
  @inline(never)
  public init(code: ExitCode, text: MessageText) {
    self.code = code
    self.text = text
  }

  /// A person may not do that, and with sudo may. It is no reason to touch the file.
  public init(notPermitted path: Path) {
    self.init(
      code: .noPermission,
      text: "\(path) is for the agent and root only; run: \(Arguments.commandWithSudo)")
  }
}
