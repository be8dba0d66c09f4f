public import Bytes
public import HomeAssistant
import Sensing

/// A command as it came, which its result repeats.
public struct CommandCall: Equatable, Sendable {
  static let textByteCountMax = 64

  /// The message of the notification.
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
    let isCommand =
      message.hasPrefix("command_") || CommandKind(word: message.bytes.span) != nil
      || message == "remove_channel"
    guard isCommand else { return nil }
    word = message.cut(to: Self.textByteCountMax).bytes
    do throws(CommandProblem) { id = try Self.id(in: notification.data) } catch { id = nil }
    output = Self.text("output", of: notification.data)
    action = Self.text("command", of: notification.data)
  }

  /// Whether it switches an output off, which is safe.
  var switchesOff: Bool {
    CommandKind(word: word.span) == .output && action?.span.elementsEqual("turn_off") == true
  }

  /// The `id` in `data`, whole: two that only begin alike are two.
  ///
  /// - Throws: `.wrongData`, if it is neither a text nor a number, or too long.
  static func id(in data: JSONObject) throws(CommandProblem) -> [UInt8]? {
    switch data["id"] {
    case nil, .null: return nil
    case .text(let text) where text.bytes.count <= textByteCountMax: return text.bytes
    // What a template renders that looks like a number is one.
    case .number(let number):
      guard let digits = digits(of: number) else { throw .wrongData("id") }
      return digits
    default: throw .wrongData("id")
    }
  }

  private static func text(_ key: Text, of data: JSONObject) -> [UInt8]? {
    switch data[key] {
    case .text(let text): return text.cut(to: textByteCountMax).bytes
    case .number(let number): return digits(of: number)
    default: return nil
    }
  }

  private static func digits(of number: JSONNumber) -> [UInt8]? {
    var digits = ByteBuffer(capacity: textByteCountMax)
    digits.appendJSON(number)
    return digits.isOverflowed ? nil : [UInt8](digits.bytes)
  }
}

extension CommandKind {
  public init?(word: Span<UInt8>) {
    guard let kind = Self.allCases.first(where: { word.elementsEqual($0.word) }) else { return nil }
    self = kind
  }
}

/// Result of a command.
public struct CommandResult: Equatable, Sendable {
  public let call: CommandCall
  /// Problem; nil after a success.
  public let problem: CommandProblem?
  /// Time of the result; nil if the board does not know the time.
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
