import Bytes
import LinuxIO
import Outbox

/// The request for a reboot to the service manager, as the agent has no right to reboot: a file
/// that the unit `homeward-reboot.path` waits for.
struct RebootRequest {
  /// Uptime before which the board is not rebooted: automations that reboot it after each start
  /// would otherwise block it.
  static let uptimeMin: Duration = .seconds(300)
  private static let fileName: StaticString = "reboot"

  /// Nil if no service manager provides one.
  private let directory: Path?
  /// Link that exists if a person has enabled the unit.
  private let enabledUnit: Path

  init(
    directory: Path? = runtimeDirectory(),
    enabledUnit: Path = Path("/etc/systemd/system/multi-user.target.wants/homeward-reboot.path")
  ) {
    self.directory = directory
    self.enabledUnit = enabledUnit
  }

  /// Returns the reason not to reboot; nil if a reboot is possible. `now` counts from the start of
  /// the board.
  func problem(now: Instant) -> CommandProblem? {
    // An old request was not seen by the unit, and must not take effect hours later.
    if let request = directory.map({ $0 / Self.fileName }),
      (try? byteCount(ofFileAt: request)) != nil
    {
      try? removeFile(at: request)
      return .noReboot
    }
    guard directory != nil, let unit = try? target(ofLinkAt: enabledUnit), !unit.bytes.isEmpty
    else { return .noReboot }
    return now < Instant(nanoseconds: 0) + Self.uptimeMin ? .tooSoon : nil
  }

  /// Creates the file. Returns the error; nil on success.
  func make() -> Errno? {
    guard let directory else { return .noSuchFile }
    do throws(Errno) {
      try replaceFile(named: Self.fileName, in: directory, with: [UInt8]("reboot\n").span)
      return nil
    } catch { return error }
  }
}
