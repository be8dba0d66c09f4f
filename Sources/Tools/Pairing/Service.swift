import Board
import Bytes
import CLinux
import LinuxIO

/// The service that the Debian package brings: it runs the agent with the standard configuration.
enum Service {
  private static let unit: StaticString = "/usr/lib/systemd/system/homeward.service"

  /// Whether this process may start it here.
  static var canStart: Bool {
    geteuid() == 0 && isThere("/run/systemd/system") && isThere(unit)
      && isThere(Configuration.defaultFile)
  }

  private static func isThere(_ path: StaticString) -> Bool {
    (try? byteCount(ofFileAt: Path(path))) != nil
  }

  /// Starts it, again if it runs. Returns what the person is told.
  static func start() -> MessageText {
    guard unsafe clinux_run("/usr/bin/systemctl", "restart", "homeward.service") == 0 else {
      return "The service did not start; what it says: journalctl -u homeward"
    }
    return
      "The agent runs, now and after every start of this board. How it is: sudo homeward status"
  }
}
