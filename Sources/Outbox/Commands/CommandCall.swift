public import Bytes
public import HomeAssistant

/// A command as it came, which its result repeats.
public struct CommandCall: Equatable, Sendable {
  static let textByteCountMax = 64

  /// The message of the notification.
  public let word: [UInt8]
  /// Which one it is: `id` of its `data`, a text or a whole number, where its sender gave one.
  public let id: [UInt8]?
  /// `output` and `command` of its `data`.
  public let output: [UInt8]?
  public let action: [UInt8]?

  /// Nil of a notification that is for people. What looks like a command of the companion app, or
  /// like one of a newer agent, is none for people.
  public init?(_ notification: PushNotification) {
    guard let message = notification.message else { return nil }
    let isCommand =
      message.hasPrefix("command_") || CommandKind(word: message.bytes.span) != nil
      || message == "remove_channel"
    guard isCommand else { return nil }
    word = message.cut(to: Self.textByteCountMax).bytes
    id = Self.text("id", of: notification.data)
    output = Self.text("output", of: notification.data)
    action = Self.text("command", of: notification.data)
  }

  /// Whether it switches an output off, which is safe.
  var switchesOff: Bool {
    CommandKind(word: word.span) == .output && action?.span.elementsEqual("turn_off") == true
  }

  private static func text(_ key: Text, of data: JSONObject) -> [UInt8]? {
    switch data[key] {
    case .text(let text): return text.cut(to: textByteCountMax).bytes
    // What a template renders that looks like a number is one.
    case .number(let number):
      var digits = ByteBuffer(capacity: textByteCountMax)
      digits.appendJSON(number)
      return digits.isOverflowed ? nil : [UInt8](digits.bytes)
    default: return nil
    }
  }
}

extension CommandKind {
  init?(word: Span<UInt8>) {
    guard let kind = Self.all.first(where: { word.elementsEqual($0.word) }) else { return nil }
    self = kind
  }
}

/// What became of a command.
public struct CommandResult: Equatable, Sendable {
  public let call: CommandCall
  /// Nil where it was done.
  public let problem: CommandProblem?
  /// When that was; nil where the board does not know the time.
  public let time: WallTime?

  public init(of call: CommandCall, problem: CommandProblem?, time: WallTime?) {
    self.call = call
    self.problem = problem
    self.time = time
  }

  public var code: StaticString {
    problem.map { $0.wasTried ? "failed" : "refused" } ?? "done"
  }
}
