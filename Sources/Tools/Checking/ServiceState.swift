import Board
import Bytes
import CLinux
import LinuxIO

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
  private func value(_ name: StaticString) -> [UInt8] {
    for line in shown.split(separator: UInt8(ascii: "\n")) {
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")),
        [UInt8](line[..<sign]).span.elementsEqual(name)
      else { continue }
      return [UInt8](line[(sign + 1)...])
    }
    return []
  }

  private func says(_ name: StaticString, _ word: StaticString) -> Bool {
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

  /// Finding about the service; nil without a unit: the agent may be started in other ways.
  var finding: Finding? {
    guard isLoaded else { return nil }
    let state: MessageText =
      "homeward.service is \(bytes: active.printable) (\(bytes: sub.printable))"
    let isStarting = says("ActiveState", "activating")
    guard !isStarting || says("SubState", "auto-restart") else {
      return .note("service", state, remedy: "check again in a moment")
    }
    let restarts = value("NRestarts").span.decimalValue.map { Int(clamping: $0) } ?? 0
    guard says("ActiveState", "active") || says("ActiveState", "reloading") else {
      return .wrong(
        "service", isStarting ? "starting" : "not_running", .board, .unavailable,
        restarts > 0 ? "\(state), and was restarted \(restarts, "time")" : state,
        remedy: isStarting
          ? "sudo journalctl -u homeward shows why it stops"
          : "sudo systemctl restart homeward; sudo journalctl -u homeward shows why it stopped")
    }
    let file = value("UnitFileState")
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
