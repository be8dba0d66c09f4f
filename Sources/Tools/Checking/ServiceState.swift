import Board
import Bytes
import CLinux
import LinuxIO

/// State of the agent's service, as systemd reports it.
struct ServiceState {
  private static let byteCountMax = 4096

  let isLoaded: Bool
  /// State such as `active`, `inactive`, `failed` or `activating`.
  let active: [UInt8]
  /// Substate such as `running`, `dead` or `auto-restart`.
  let sub: [UInt8]
  /// State of the unit file, such as `enabled` or `disabled`; empty if systemd does not report it.
  let file: [UInt8]
  let restarts: Int
  /// User that it runs as; empty for root.
  let user: [UInt8]
  /// Whether it cannot see homes, temporary files, or whether the kernel's clock is right.
  let hidesHomes: Bool
  let hidesTemporaryFiles: Bool
  let hidesClock: Bool

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
    return hidesHomes && isBelow(["/home/", "/root/", "/run/user/"])
      || hidesTemporaryFiles && isBelow(["/tmp/", "/var/tmp/"])
  }

  /// Parses the answer of `systemctl show`: lines of `NAME=VALUE`.
  init(shown text: [UInt8]) {
    func value(_ name: StaticString) -> [UInt8] {
      for line in text.split(separator: UInt8(ascii: "\n")) {
        guard let sign = line.firstIndex(of: UInt8(ascii: "=")),
          [UInt8](line[..<sign]).span.elementsEqual(name)
        else { continue }
        return [UInt8](line[(sign + 1)...])
      }
      return []
    }
    isLoaded = value("LoadState").span.elementsEqual("loaded")
    active = value("ActiveState")
    sub = value("SubState")
    file = value("UnitFileState")
    restarts = value("NRestarts").span.decimalValue.map { Int(clamping: $0) } ?? 0
    user = value("User")
    hidesHomes = !value("ProtectHome").isEmpty && !value("ProtectHome").span.elementsEqual("no")
    hidesTemporaryFiles = value("PrivateTmp").span.elementsEqual("yes")
    hidesClock = value("ProtectClock").span.elementsEqual("yes")
  }

  /// Finding about the service; nil without a unit: the agent may be started in other ways.
  var finding: Finding? {
    guard isLoaded else { return nil }
    let state: MessageText =
      "homeward.service is \(bytes: active.printable) (\(bytes: sub.printable))"
    guard !active.span.elementsEqual("activating") || sub.span.elementsEqual("auto-restart") else {
      return .note("service", state, remedy: "check again in a moment")
    }
    let isRunning = active.span.elementsEqual("active") || active.span.elementsEqual("reloading")
    guard isRunning else {
      let isStarting = active.span.elementsEqual("activating")
      return .wrong(
        "service", isStarting ? "starting" : "not_running", .board, .unavailable,
        restarts > 0 ? "\(state), and was restarted \(restarts, "time")" : state,
        remedy: isStarting
          ? "sudo journalctl -u homeward shows why it stops"
          : "sudo systemctl restart homeward; sudo journalctl -u homeward shows why it stopped")
    }
    if file.span.elementsEqual("disabled") || file.span.elementsEqual("enabled-runtime") {
      return .note(
        "service",
        "\(state), but \(bytes: file.printable): it does not start with the board",
        remedy: "sudo systemctl enable homeward")
    }
    guard restarts > 0 else { return .well("service", "\(state), and enabled") }
    return .well(
      "service",
      "\(state), and enabled; it was restarted \(restarts, "time"): sudo journalctl -u homeward"
        + " shows why")
  }
}
