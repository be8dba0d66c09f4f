import Bytes
import Outbox
import Sensing

/// Which results of Home Assistant's commands the log tells.
///
/// Invariants:
/// 1. What was carried out is told, `LineRateLimiter.linesMax` in an hour; outputs are counted
///    apart, so that no other command hides which pump was switched when.
/// 2. What was not is told once, until a command of its kind is carried out: an automation that
///    asks for what is not allowed does so for a year.
/// 3. Whatever words Home Assistant sends, the memory for it does not grow.
struct CommandLog {
  private var outputs = LineRateLimiter()
  private var others = LineRateLimiter()

  /// A command was carried out. Returns whether to tell it.
  mutating func carriedOut(_ kind: CommandKind?, _ troubles: inout Troubles, now: Instant) -> Bool {
    _ = troubles.ended(Self.topic(kind))
    return kind == .output ? outputs.happened(now: now) : others.happened(now: now)
  }

  /// One was not, as `words` say. Returns what `Troubles.began` does.
  func refused(
    _ kind: CommandKind?, _ words: MessageText, _ troubles: inout Troubles, now: Instant
  ) -> Int? {
    troubles.began(Self.topic(kind), words.bytes, now: now)
  }

  /// How many that were carried out were left out, once that is to be told.
  mutating func takeLeftOut(now: Instant, isEnding: Bool = false) -> Int {
    outputs.takeLeftOut(now: now, isEnding: isEnding)
      + others.takeLeftOut(now: now, isEnding: isEnding)
  }

  /// Commands that the agent does not know are one topic.
  private static func topic(_ kind: CommandKind?) -> Troubles.Topic {
    Troubles.Topic(.command, InlineText(kind?.word ?? ""))
  }
}
