import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// Executes the commands of Home Assistant on this board.
final class CommandExecutor {
  private let outputs: [GPIOOutput]
  /// Nil if no anchor watch is configured.
  private let anchor: AnchorAlarm?
  private let rebootRequest: RebootRequest

  init(
    outputs: [GPIOOutput], anchor: AnchorAlarm?, rebootRequest: RebootRequest = RebootRequest()
  ) {
    self.outputs = outputs
    self.anchor = anchor
    self.rebootRequest = rebootRequest
  }

  /// Executes an action. Returns the problem; nil on success.
  func perform(_ order: BoardOrder, at moment: Moment) -> CommandProblem? {
    switch order {
    case .output(let name, let switching):
      let title = name.lowercasedASCII
      guard let output = outputs.first(where: { $0.title.lowercasedASCII == title }) else {
        return .unknownOutput
      }
      return output.perform(switching, at: moment) ? nil : .outputFailed
    case .anchor(let isSet):
      guard let anchor else { return .noAnchorWatch }
      isSet ? anchor.setAnchor(at: moment) : anchor.clearAnchor(at: moment)
      return nil
    case .prepareReboot: return rebootRequest.problem(now: moment.instant)
    }
  }

  /// Reboots the board. Returns the error; nil if the reboot was requested.
  func reboot() -> Errno? { rebootRequest.make() }
}

extension GPIOOutput {
  fileprivate func perform(_ switching: Command.Switching, at moment: Moment) -> Bool {
    switch switching {
    case .on: switchOn(at: moment)
    case .off: switchOff(at: moment)
    case .pulse(let duration): pulse(for: duration, at: moment)
    }
  }
}

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
