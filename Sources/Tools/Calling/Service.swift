import Board
import Bytes
import CLinux
import LinuxIO

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

/// State of the agent's service, as systemd reports it.
struct ServiceState {
  private static let byteCountMax = 4096

  /// Answer of `systemctl show`: lines of `NAME=VALUE`.
  private let shown: [UInt8]

  init(shown: [UInt8]) { self.shown = shown }

  /// Returns the state that systemd reports; nil on a machine without systemd.
  static func ask(below root: Path = Path("")) -> ServiceState? {
    guard (try? byteCount(ofFileAt: root / "run/systemd/system")) != nil else { return nil }
    var answer = [UInt8](repeating: 0, count: byteCountMax)
    let count = unsafe answer.withUnsafeMutableBytes { bytes -> Int in
      guard let start = bytes.baseAddress else { return -1 }
      return unsafe (root / "usr/bin/systemctl").withCString { program in
        unsafe clinux_output(
          program, "show", "homeward.service",
          """
          --property=LoadState,ActiveState,SubState,UnitFileState,NRestarts,User,ProtectHome,\
          PrivateTmp,ProtectClock
          """,
          start.assumingMemoryBound(to: CChar.self), bytes.count)
      }
    }
    return count > 0 ? ServiceState(shown: [UInt8](answer.prefix(count))) : nil
  }

  func hides(_ path: Path) -> Bool {
    func isBelow(_ places: [StaticString]) -> Bool {
      places.contains { path.bytes.span.starts(with: $0) }
    }
    let hidesHomes = !value("ProtectHome").isEmpty && !says("ProtectHome", "no")
    return hidesHomes && isBelow(["/home/", "/root/", "/run/user/"])
      || says("PrivateTmp", "yes") && isBelow(["/tmp/", "/var/tmp/"])
  }

  /// Returns the value of a property; empty if systemd does not report it.
  func value(_ name: StaticString) -> [UInt8] {
    for line in shown.split(separator: UInt8(ascii: "\n")) {
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")),
        [UInt8](line[..<sign]).span.elementsEqual(name)
      else { continue }
      return [UInt8](line[(sign + 1)...])
    }
    return []
  }

  func says(_ name: StaticString, _ word: StaticString) -> Bool {
    value(name).span.elementsEqual(word)
  }

  var isLoaded: Bool { says("LoadState", "loaded") }
  /// State such as `active`, `inactive`, `failed` or `activating`.
  var active: [UInt8] { value("ActiveState") }
  /// Substate such as `running`, `dead` or `auto-restart`.
  var sub: [UInt8] { value("SubState") }
  /// User that it runs as; empty for root.
  var user: [UInt8] { value("User") }
  /// Whether it cannot see whether the kernel's clock is right.
  var hidesClock: Bool { says("ProtectClock", "yes") }
}
