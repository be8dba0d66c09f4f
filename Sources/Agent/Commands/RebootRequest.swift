import Bytes
import LinuxIO
import Outbox

/// Asks the service manager to reboot the board, which the agent may not do itself: it makes a file
/// that the unit `homeward-reboot.path` waits for.
struct RebootRequest {
  /// So long after its start the board is not rebooted: two that reboot it because it rebooted
  /// would have it do nothing else.
  static let uptimeMin: Duration = .seconds(300)
  private static let fileName: StaticString = "reboot"

  /// Nil where no service manager made one.
  private let directory: Path?
  /// What is there where a person has enabled the unit.
  private let enabledUnit: Path

  init(
    directory: Path? = runtimeDirectory(),
    enabledUnit: Path = Path("/etc/systemd/system/multi-user.target.wants/homeward-reboot.path")
  ) {
    self.directory = directory
    self.enabledUnit = enabledUnit
  }

  /// Why the board is not rebooted; nil where it can be. The clock starts with the board.
  func problem(now: Instant) -> CommandProblem? {
    // A request that is still there was not seen by the unit, and must not be seen hours later.
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

  /// Returns why the file cannot be made; nil where it is there.
  func make() -> Errno? {
    guard let directory else { return .noSuchFile }
    do throws(Errno) {
      try replaceFile(named: Self.fileName, in: directory, with: [UInt8]("reboot\n").span)
      return nil
    } catch { return error }
  }
}
