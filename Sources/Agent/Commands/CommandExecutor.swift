import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// Does on this board what commands of Home Assistant ask for.
final class CommandExecutor {
  private let outputs: [GPIOOutput]
  /// Nil where the configuration wants no anchor watch.
  private let anchor: AnchorAlarm?
  private let rebootRequest: RebootRequest

  init(
    outputs: [GPIOOutput], anchor: AnchorAlarm?, rebootRequest: RebootRequest = RebootRequest()
  ) {
    self.outputs = outputs
    self.anchor = anchor
    self.rebootRequest = rebootRequest
  }

  /// Returns why it is not done; nil where it is.
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

  /// Returns why the board does not reboot; nil where it is about to.
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
  /// Names that differ in the case of ASCII letters only are one.
  fileprivate func isSameIgnoringCase(as other: [UInt8]) -> Bool {
    lowercasedASCII == other.lowercasedASCII
  }
}
