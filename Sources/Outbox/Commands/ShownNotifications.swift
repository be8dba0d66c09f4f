public import Bytes
import HomeAssistant

/// The latest notifications for people, until a command clears them.
public struct ShownNotifications: Sendable {
  static let countMax = 4
  private static let textByteCountMax = 160

  public struct Entry: Equatable, Sendable {
    /// By which it is replaced and cleared; nil where its sender gave none.
    let tag: Text?
    /// Title; nil without one.
    public let title: Text?
    public let message: Text
    public let receivedAt: Instant
  }

  /// The newest one last.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// The newest of those with one `tag` is shown. The oldest goes where there are too many.
  mutating func received(_ notification: PushNotification, now: Instant) {
    var tag: Text?
    if case .text(let text)? = notification.data["tag"] { tag = text }
    if let tag { clear(tag) }
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(
      Entry(
        tag: tag?.cut(to: Self.textByteCountMax),
        title: notification.title?.cut(to: Self.textByteCountMax),
        message: (notification.message ?? "").cut(to: Self.textByteCountMax), receivedAt: now))
  }

  mutating func clear(_ tag: Text) {
    let tag = tag.cut(to: Self.textByteCountMax)
    entries.removeAll { $0.tag == tag }
  }
}
