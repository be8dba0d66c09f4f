public import Bytes

/// A version of Home Assistant, such as `2025.4.4`.
public struct ServerVersion: Equatable, Sendable {
  public let text: Text

  public init(_ text: Text) { self.text = text }
}
