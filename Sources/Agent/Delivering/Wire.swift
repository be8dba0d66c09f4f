import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Transport

/// What a message to the webhook goes over: HTTP, or the WebSocket where the configuration prefers
/// it and it is open.
final class Wire {
  /// The webhook over one route; made anew where the address is another one.
  private struct Webhook {
    let url: [UInt8]
    let endpoint: Endpoint
  }

  /// `home_assistant.tls` is about the addresses of the configuration, not about those of the cloud.
  private static func trust(over route: Route) -> Endpoint.Trust {
    switch route {
    case .home, .instance: .configured
    case .cloudhook, .remoteUI: .system
    }
  }

  private static let requestByteCountMax = Envelope.byteCount(sealing: SensorTable.dataByteCountMax)
  /// Home Assistant's configuration, with all it knows of 256 sensors and a thousand components.
  private static let responseByteCountMax = 256 * 1024

  let http: HTTPClient
  private let line: WebSocketLine?
  private let prefersLine: Bool
  /// Where the line goes; over another address a message goes without it.
  private let lineURL: [UInt8]
  private var webhook: Webhook?

  /// Nil where libcurl cannot start.
  init?(
    settings: Configuration.HomeAssistantSettings, line: WebSocketLine?, loop: EventLoop
  ) {
    guard
      let http = HTTPClient(
        loop: loop, settings: settings.tls, requestByteCountMax: Self.requestByteCountMax,
        responseByteCountMax: Self.responseByteCountMax, userAgent: homewardUserAgent)
    else { return nil }
    self.http = http
    self.line = line
    lineURL = settings.url
    prefersLine = settings.transport == .webSocket
  }

  /// Whether Home Assistant cannot have restarted since the last message.
  var isConnectionKept: Bool {
    if let line, line.carriedLastMessage { return line.isConnectionKept }
    return http.isConnectionKept
  }

  /// Sends what is in `http.request` to the webhook of a registration, over a route with this
  /// address, and tells `owner` what became of it.
  func send(
    to registration: Registration, over route: Route, at url: [UInt8],
    telling owner: some TransferOwner & WebSocketPostOwner
  ) {
    if prefersLine, url == lineURL, let line,
      line.post(http.request, to: registration, telling: owner)
    {
      return
    }
    http.send(to: endpoint(over: route, at: url, registration), telling: owner)
  }

  /// There is another registration, whose webhook is another one.
  func registrationReplaced() { webhook = nil }

  private func endpoint(
    over route: Route, at url: [UInt8], _ registration: Registration
  ) -> Endpoint {
    let trust = Self.trust(over: route)
    if let webhook, webhook.url == url, webhook.endpoint.trust == trust { return webhook.endpoint }
    // The cloudhook is the address of the webhook itself.
    let path = route == .cloudhook ? [] : registration.path
    let endpoint = Endpoint(address: url, path: path, trust: trust)
    webhook = Webhook(url: url, endpoint: endpoint)
    return endpoint
  }
}
