import Board
import Bytes
import CLinux
import HomeAssistant
import HomeAssistantClient
import LinuxIO

struct PairingSummary {
  var url: [UInt8] = []
  var deviceName: [UInt8] = []
  /// Nil if Home Assistant did not report it.
  var user: User?
  /// Nil if this board is no person's tracker, or Home Assistant did not report it.
  var person: TrackedPerson?
  var isDetached = false
  var offer = ConfigurationFile.Offer.asItIs

  /// Page of the board in Home Assistant. It is not the first page, which Home Assistant makes
  /// without devices of this kind.
  var place: MessageText {
    "Home Assistant shows this board under Settings, Devices & services, Mobile App,"
      + " \(quoted: deviceName): \(bytes: url)/config/devices/dashboard\n\"Add to dashboard\" there"
      + " puts its entities onto a page."
  }

  /// Writes one JSON object to standard output.
  func print() {
    let line = jsonLine { line in
      line.appendMember("paired", true)
      line.appendMember("url", url.span)
      line.appendMember("device", deviceName.span)
      if let user {
        if let name = user.name { line.appendMember("user", name.bytes.span) }
        line.appendMember("is_admin", user.isAdmin)
      }
      if let person {
        line.appendMember("person", person.person.name.bytes.span)
        line.appendMember("tracker", person.tracker.text.bytes.span)
        line.appendMember("is_detached", isDetached)
      }
      line.appendMember("is_configuration_written", offer == .written)
    }
    writeToTerminal(line, STDOUT_FILENO)
  }
}

/// Service of the Debian package: it runs the agent with the standard configuration.
enum Service {
  static let user: StaticString = "homeward"

  /// Required paths: a running systemd, the unit, and the configuration of the agent.
  private static var needed: [StaticString] {
    [
      "/run/systemd/system", "/usr/lib/systemd/system/homeward.service",
      Configuration.defaultFile,
    ]
  }

  static var canStart: Bool { canStart(as: geteuid()) }

  /// Returns whether a process of `user` may start it; `root` is the root of the file system.
  static func canStart(as user: uid_t, below root: Path = Path("")) -> Bool {
    user == 0 && isInstalled(below: root)
  }

  static func isInstalled(below root: Path = Path("")) -> Bool {
    needed.allSatisfy { (try? byteCount(ofFileAt: root / $0)) != nil }
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
