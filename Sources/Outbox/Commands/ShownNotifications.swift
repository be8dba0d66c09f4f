public import Bytes
import HomeAssistant

/// The latest notifications for people, until a command clears them.
public struct ShownNotifications: Sendable {
  static let countMax = 4
  private static let textByteCountMax = 160

  public struct Entry: Equatable, Sendable {
    /// Tag that replaces and clears the notification; nil without one.
    let tag: Text?
    /// Identifier for the confirmation; nil without one.
    let confirmID: Text?
    public let title: Text?
    public let message: Text
    /// Arrival at the board, or before that at the push relay.
    public let receivedAt: Instant
  }

  /// The newest one last.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// Adds a notification, and replaces one with the same `tag`. Drops the oldest if necessary.
  /// Returns false if it is here already: Home Assistant sends one again, another way, after it
  /// refused the confirmation.
  mutating func received(_ notification: PushNotification, now: Instant) -> Bool {
    let id = notification.confirmID?.cut(to: Self.textByteCountMax)
    guard id == nil || !entries.contains(where: { $0.confirmID == id }) else { return false }
    var tag: Text?
    if let text = notification.data["tag"]?.writtenText, !text.isEmpty { tag = text }
    if let tag { clear(tag) }
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(
      Entry(
        tag: tag?.cut(to: Self.textByteCountMax), confirmID: id,
        title: notification.title?.cut(to: Self.textByteCountMax),
        message: (notification.message ?? "").cut(to: Self.textByteCountMax),
        receivedAt: notification.receivedAt ?? now))
    return true
  }

  mutating func clear(_ tag: Text) {
    let tag = tag.cut(to: Self.textByteCountMax)
    entries.removeAll { $0.tag == tag }
  }
}

extension PushNotification {
  /// Arrival at the push relay; nil if it was not there, or for an unknown time.
  fileprivate var receivedAt: Instant? {
    if case .since(let start) = wait { start } else { nil }
  }
}
