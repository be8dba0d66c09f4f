import Bytes
public import HomeAssistant
import Sensing

/// Command that Home Assistant may send to this board with a notification: its message is
/// `kind.word`, and its `data` contains the parameters.
public enum Command: Equatable, Sendable {
  /// `data`: `command`, which is `turn_on`, `turn_off` or `pulse`.
  public enum Switching: Equatable, Sendable {
    case on
    case off
    /// On for so long: `duration`, in seconds.
    case pulse(Duration)
  }

  /// Send the next fix, even if the track does not need it.
  case requestLocationUpdate
  /// Read every source, and send every state again.
  case updateSensors
  /// An output is switched: `output` is its name.
  case output([UInt8], Switching)
  /// Set the interval of cycles to `every`, until the next start of the agent or for the time
  /// `for`; both in seconds. Nil if `every` is missing: the interval in the configuration.
  case interval(Duration?, lasting: Duration?)
  /// The anchor watch is set (`turn_on`) or cleared (`turn_off`).
  case anchor(isSet: Bool)
  case reboot
  /// Remove the notification with this `tag`.
  case clearNotification(tag: [UInt8])
}

/// Kind of a command, for the list of those that are allowed.
public enum CommandKind: UInt8, CaseIterable, Sendable {
  case requestLocationUpdate, updateSensors, output, interval, anchor, reboot, clearNotification

  /// The message of the notification, and the word in the configuration. The companion app has the
  /// same for what it can do, too.
  public var word: StaticString {
    switch self {
    case .requestLocationUpdate: "request_location_update"
    case .updateSensors: "command_update_sensors"
    case .output: "command_gpio"
    case .interval: "command_interval"
    case .anchor: "command_anchor"
    case .reboot: "command_reboot"
    case .clearNotification: "clear_notification"
    }
  }
}

/// Kinds that the configuration allows.
public struct CommandKinds: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public init(_ kind: CommandKind) { rawValue = 1 << kind.rawValue }

  /// Whether commands of this kind are allowed. `contains` would allow a kind without a bit.
  public func allows(_ kind: CommandKind) -> Bool { !isDisjoint(with: CommandKinds(kind)) }
}

extension Command {
  fileprivate static let pulseRange: ClosedRange<Int64> = 1...86_400_000
  private static let everyRange: ClosedRange<Int64> = 5_000...86_400_000
  private static let lastingRange: ClosedRange<Int64> = 5_000...2_592_000_000
  private static let ageRange: ClosedRange<Int64> = 0...2_592_000_000
  /// Maximum age of a command without a `ttl`: the longest interval of a board that sleeps, and an
  /// hour for a late wake-up.
  static let ageMax: Duration = .seconds(25 * 3600)

  /// Returns whether a command waited at the push relay for longer than the `ttl` in its data, in
  /// seconds, or `ageMax`. One that waited for an unknown time did.
  static func isExpired(
    _ notification: PushNotification, now: Instant
  ) throws(CommandProblem) -> Bool {
    let ageMax = try notification.data.seconds("ttl", in: ageRange) ?? ageMax
    return switch notification.wait {
    case .none: false
    case .unknown: true
    case .since(let start): now - start > ageMax
    }
  }

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
    let word = try data.word("command")
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
  /// Reads a text, or a number as its digits: what a template renders that looks like a number is
  /// one.
  fileprivate func text(_ key: StaticString) throws(CommandProblem) -> [UInt8] {
    guard let text = self[Text(stringLiteral: key)]?.writtenText, !text.isEmpty else {
      throw .wrongData(StaticText(stringLiteral: key))
    }
    return text.bytes
  }

  fileprivate func word(_ key: StaticString) throws(CommandProblem) -> [UInt8] {
    CommandCall.word(in: Text(try text(key)))
  }

  fileprivate func isTurnedOn() throws(CommandProblem) -> Bool {
    let word = try word("command")
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

/// Part of a command that the board carries out.
public enum BoardOrder: Equatable, Sendable {
  /// Switch the output of this name.
  case output([UInt8], Command.Switching)
  /// Set or clear the anchor watch.
  case anchor(isSet: Bool)
  /// See whether the board can be rebooted.
  case prepareReboot
}

/// A command as it came, which its result repeats.
public struct CommandCall: Equatable, Sendable {
  static let textByteCountMax = 64

  /// The message of the notification, as `word(in:)` writes it.
  public let word: [UInt8]
  /// Identity of the command: the `id` in its `data`, a text or a number; nil without a usable one.
  public let id: [UInt8]?
  /// `output` and `command` of its `data`.
  public let output: [UInt8]?
  public let action: [UInt8]?

  /// Nil for a notification to people. Commands of the companion app or of a newer agent are not
  /// notifications to people.
  public init?(_ notification: PushNotification) {
    guard let message = notification.message else { return nil }
    let word = Self.word(in: message)
    let isCommand =
      word.span.starts(with: "command_") || CommandKind(word: word.span) != nil
      || word.span.elementsEqual("remove_channel")
    guard isCommand else { return nil }
    self.word = word
    do throws(CommandProblem) { id = try Self.id(in: notification.data) } catch { id = nil }
    output = Self.text("output", of: notification.data)
    action = Self.text("command", of: notification.data)
  }

  /// Returns a word of a sender in lower case and without space around it: a folded text in YAML
  /// ends with a line feed.
  static func word(in text: Text) -> [UInt8] {
    Text(text.bytes.span.trimmed()).cut(to: textByteCountMax).bytes.lowercasedASCII
  }

  /// Whether it switches an output off, which is safe.
  var switchesOff: Bool {
    guard CommandKind(word: word.span) == .output, let action else { return false }
    return Self.word(in: Text(action)).span.elementsEqual("turn_off")
  }

  /// The `id` in `data`, whole: two that only begin alike are two.
  ///
  /// - Throws: `.wrongData`, if it is neither a text nor a number, or too long.
  static func id(in data: JSONObject) throws(CommandProblem) -> [UInt8]? {
    switch data["id"] {
    case nil, .null: return nil
    case let id?:
      guard let text = id.writtenText, text.bytes.count <= textByteCountMax else {
        throw .wrongData("id")
      }
      return text.bytes
    }
  }

  private static func text(_ key: Text, of data: JSONObject) -> [UInt8]? {
    data[key]?.writtenText?.cut(to: textByteCountMax).bytes
  }
}

extension CommandKind {
  public init?(word: Span<UInt8>) {
    guard let kind = Self.allCases.first(where: { word.elementsEqual($0.word) }) else { return nil }
    self = kind
  }
}
