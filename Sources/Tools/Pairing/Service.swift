import Board
import Bytes
import CLinux
import LinuxIO

/// Service of the Debian package: it runs the agent with the standard configuration.
enum Service {
  /// Required paths: a running systemd, the unit, and the configuration of the agent.
  private static var needed: [StaticString] {
    [
      "/run/systemd/system", "/usr/lib/systemd/system/homeward.service",
      Configuration.defaultFile,
    ]
  }

  /// Whether this process may start the service here.
  static var canStart: Bool { canStart(as: geteuid(), below: Path("")) }

  /// Returns whether a process of `user` may start it; `root` is the root of the file system.
  static func canStart(as user: uid_t, below root: Path) -> Bool {
    user == 0 && needed.allSatisfy { (try? byteCount(ofFileAt: root / $0)) != nil }
  }

  /// Starts or restarts it. Returns the message for the person.
  static func start() -> MessageText {
    guard unsafe clinux_run("/usr/bin/systemctl", "restart", "homeward.service") == 0 else {
      return "The service did not start. Read its log: sudo journalctl -u homeward"
    }
    return
      "The agent is running and starts with the board. Check it with: sudo homeward status"
  }
}
