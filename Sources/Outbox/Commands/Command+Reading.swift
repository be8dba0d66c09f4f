import Bytes
import Sensing

extension Command {
  fileprivate static let pulseRange: ClosedRange<Int64> = 1...86_400_000
  private static let everyRange: ClosedRange<Int64> = 5_000...86_400_000
  private static let lastingRange: ClosedRange<Int64> = 5_000...2_592_000_000

  /// Reads what belongs to a command.
  ///
  /// - Throws: `.wrongData`, with the member that is missing or cannot be used.
  init(_ kind: CommandKind, _ data: JSONObject) throws(CommandProblem) {
    switch kind {
    case .requestLocationUpdate: self = .requestLocationUpdate
    case .updateSensors: self = .updateSensors
    case .reboot: self = .reboot
    case .output:
      let output = try data.text("output")
      self = .output(output, try Switching(data))
    case .anchor: self = .anchor(isSet: try data.isTurnedOn())
    case .clearNotification: self = .clearNotification(tag: try data.text("tag"))
    case .interval:
      let every = try data.seconds("every", in: Self.everyRange)
      let lasting = try data.seconds("for", in: Self.lastingRange)
      self = .interval(every, lasting: lasting)
    }
  }
}

extension Command.Switching {
  fileprivate init(_ data: JSONObject) throws(CommandProblem) {
    let word = try data.text("command")
    let duration = try data.seconds("duration", in: Command.pulseRange)
    if word.span.elementsEqual("pulse") {
      guard let duration else { throw .wrongData("duration") }
      self = .pulse(duration)
    } else {
      self = try data.isTurnedOn() ? .on : .off
    }
  }
}

extension JSONObject {
  fileprivate func text(_ key: StaticString) throws(CommandProblem) -> [UInt8] {
    guard case .text(let text)? = self[Text(stringLiteral: key)], !text.isEmpty else {
      throw .wrongData(StaticText(stringLiteral: key))
    }
    return text.bytes
  }

  fileprivate func isTurnedOn() throws(CommandProblem) -> Bool {
    let word = try text("command")
    if word.span.elementsEqual("turn_on") { return true }
    if word.span.elementsEqual("turn_off") { return false }
    throw .wrongData("command")
  }

  /// Reads a time in seconds, as a number or as the text that a template makes of one, in a range
  /// of milliseconds; nil without one.
  fileprivate func seconds(
    _ key: StaticString, in range: ClosedRange<Int64>
  ) throws(CommandProblem) -> Duration? {
    let number: JSONNumber?
    switch self[Text(stringLiteral: key)] {
    case nil, .null: return nil
    case .number(let written): number = written
    case .text(let text): number = JSONNumber(text.bytes.span)
    default: number = nil
    }
    guard let milliseconds = number?.scaled(byPowerOfTen: 3), range.contains(milliseconds) else {
      throw .wrongData(StaticText(stringLiteral: key))
    }
    return .milliseconds(milliseconds)
  }
}
