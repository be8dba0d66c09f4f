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
      guard let output = outputs.first(where: { $0.title.isSameIgnoringCase(as: name) }) else {
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

extension [UInt8] {
  /// Whether the names are equal apart from the case of ASCII letters.
  fileprivate func isSameIgnoringCase(as other: [UInt8]) -> Bool {
    lowercasedASCII == other.lowercasedASCII
  }
}
