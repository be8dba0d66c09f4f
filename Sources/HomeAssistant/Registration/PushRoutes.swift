public import Bytes

/// Server for notifications of the device, `push_url` and `push_token`.
///
/// Home Assistant posts to it without a signature: only the token authenticates its messages, and
/// any sender with both values can have a notification shown. Both are secrets.
public struct PushTarget: Equatable, Sendable {
  /// URL with `http://` or `https://`; Home Assistant refuses a registration with anything else.
  public let url: Text
  /// Token in each notification, which identifies the device to the server.
  public let token: Text

  /// Fails if Home Assistant does not accept `url`.
  public init?(url: Text, token: Text) {
    guard url.isHTTPURL else { return nil }
    self.url = url
    self.token = token
  }
}

/// Routes of notifications to the device, which Home Assistant stores as its `app_data`. Without a
/// route, it creates no notify service for the device.
public struct PushRoutes: Equatable, Sendable {
  /// Whether notifications come over the WebSocket while the device is connected.
  public var isWebSocketWanted: Bool
  /// Server for notifications at any time.
  public var target: PushTarget?

  /// No route: Home Assistant creates no notify service.
  public static let none = PushRoutes(isWebSocketWanted: false)

  /// Creates a set of routes.
  public init(isWebSocketWanted: Bool, target: PushTarget? = nil) {
    self.isWebSocketWanted = isWebSocketWanted
    self.target = target
  }

  func write(into buffer: inout ByteBuffer) {
    buffer.openJSONObject()
    if isWebSocketWanted {
      // The key alone creates the service, even with the value false.
      buffer.appendJSON(key: "push_websocket_channel")
      buffer.appendJSON(true)
    }
    if let target {
      buffer.appendJSON(key: "push_url", target.url.bytes)
      buffer.appendJSON(key: "push_token", target.token.bytes)
    }
    buffer.closeJSONObject()
  }
}

extension Text {
  /// Whether this is a URL of HTTP: visible ASCII, with a host.
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
