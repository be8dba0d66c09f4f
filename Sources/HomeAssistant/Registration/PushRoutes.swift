public import Bytes

/// A server that takes notifications for the device, `push_url` and `push_token`.
///
/// Home Assistant posts to it without any signature: only the token tells its messages from those
/// of others, and a sender that has the two can have a notification shown. Both are secrets.
public struct PushTarget: Equatable, Sendable {
  /// `http://` or `https://`; Home Assistant refuses a registration with anything else.
  public let url: Text
  /// Sent along with each notification, so that the server knows for whom it is.
  public let token: Text

  /// Nil where `url` is not one that Home Assistant takes.
  public init?(url: Text, token: Text) {
    guard url.isHTTPURL else { return nil }
    self.url = url
    self.token = token
  }
}

/// The ways by which notifications reach the device, which Home Assistant keeps as its `app_data`.
/// Without any, it makes no notify service for the device.
public struct PushRoutes: Equatable, Sendable {
  /// Over the WebSocket, while the device is connected.
  public var isWebSocketWanted: Bool
  /// Over a server, always.
  public var target: PushTarget?

  /// No way: Home Assistant makes no notify service.
  public static let none = PushRoutes(isWebSocketWanted: false)

  /// The ways by which notifications reach the device.
  public init(isWebSocketWanted: Bool, target: PushTarget? = nil) {
    self.isWebSocketWanted = isWebSocketWanted
    self.target = target
  }

  func write(into buffer: inout ByteBuffer) {
    buffer.openJSONObject()
    if isWebSocketWanted {
      // The key alone makes the service, also with the value false.
      buffer.appendJSON(key: "push_websocket_channel")
      buffer.appendJSON(true)
    }
    if let target {
      buffer.appendJSON(key: "push_url", target.url)
      buffer.appendJSON(key: "push_token", target.token)
    }
    buffer.closeJSONObject()
  }
}

extension Text {
  /// Whether this is a URL of HTTP as it stands in a request: visible ASCII, with a host.
  var isHTTPURL: Bool {
    let scheme: Text = hasPrefix("https://") ? "https://" : "http://"
    guard hasPrefix(scheme), bytes.count > scheme.bytes.count,
      bytes[scheme.bytes.count] != UInt8(ascii: "/")
    else { return false }
    return bytes.allSatisfy {
      (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
  }
}
