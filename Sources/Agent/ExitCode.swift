/// How the program ends, as `sysexits.h` numbers it.
public enum ExitCode: Int32, Sendable {
  case success = 0
  /// The command line is wrong.
  case usage = 64
  /// A file of ours is damaged.
  case dataError = 65
  /// A file that was named cannot be read.
  case noInput = 66
  /// Home Assistant does not know this board, or not any more; or no agent runs on it.
  case unavailable = 69
  /// The machine lacks something, such as memory or random numbers.
  case osError = 71
  /// Nothing was proven this time; it may be the next time.
  case temporaryFailure = 75
  /// Home Assistant cannot open what this board sends, and never will.
  case protocolError = 76
  /// Home Assistant does not accept the token.
  case noPermission = 77
  /// The configuration is wrong.
  case configuration = 78
}
