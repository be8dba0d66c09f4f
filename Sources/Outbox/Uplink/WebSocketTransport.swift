public import Bytes
public import HomeAssistant

/// Who is told what happens to the WebSocket and to what went over it.
public protocol WebSocketTransportOwner: AnyObject {
  func webSocketChanged(_ state: ConnectionState)
  /// The body is read by `WebSocketTransport.readResponse`.
  func postAnswered(status: Int)
  func postFailed(_ reason: InlineText)
  func asked(_ result: Result<JSON, RequestError>)
  func pushChannelChanged(_ change: PushChannel.Change)
  func notified(_ notification: Result<PushNotification, RequestError>)
}

/// What goes between an `Uplink` and the client of Home Assistant's WebSocket: notifications come
/// over it, and messages to the webhook and questions may go over it.
public final class WebSocketTransport {
  private static let responseByteCountMax = 256 * 1024

  private let client: Client
  private unowned(unsafe) let owner: any WebSocketTransportOwner
  private var channel: PushChannel?
  private var observation: Observation?
  private var response = ByteBuffer(capacity: WebSocketTransport.responseByteCountMax)
  private var wasOpen = false
  /// Since when it is open, or not.
  public private(set) var stateSince: Instant

  /// Away from home a request is no reason to connect.
  public static var policy: SessionPolicy {
    var policy = SessionPolicy.unattended
    policy.connectsAutomatically = false
    // Those of a day's statistics of all sensors have a third of it.
    policy.answerValueCountMax = 65_536
    return policy
  }

  /// `owner` outlives this.
  public init(_ client: Client, telling owner: any WebSocketTransportOwner) {
    self.client = client
    unsafe self.owner = owner
    stateSince = client.now
    observation = client.observe { [unowned(unsafe) self] in unsafe stateChanged($0) }
  }

  /// When `deadlineReached` is due; that of the client is its driver's.
  public var deadline: Instant? { channel?.deadline }

  public func deadlineReached(now: Instant) { channel?.deadlineReached(now: now) }

  public var state: ConnectionState { client.state }

  /// Whether a token, with which every connection begins, may be sent now.
  public func setAllowed(_ isAllowed: Bool) {
    if isAllowed { client.connect() } else { client.disconnect() }
  }

  /// The network is another one, or there is a sign that Home Assistant is within reach: what waits
  /// to connect does it now, and a connection has to show that it still stands.
  public func check() { client.networkChanged() }

  /// On a battery it is looked for ever more rarely, as by messages: each attempt wakes the radio.
  public func setOnBattery(_ isOnBattery: Bool) {
    client.setReconnectWaits(
      isOnBattery ? SessionPolicy.batteryReconnectWaits : Self.policy.reconnectWaits)
  }

  private func stateChanged(_ state: ConnectionState) {
    let isOpen = if case .ready = state { true } else { false }
    if isOpen != wasOpen {
      wasOpen = isOpen
      stateSince = client.now
    }
    unsafe owner.webSocketChanged(state)
  }

  // MARK: What goes over it

  public func ask(_ request: RawRequest) {
    _ = client.send(request) { [unowned(unsafe) self] in unsafe owner.asked($0) }
  }

  /// Takes the notifications of this registration, and of none before it but those that came
  /// already.
  public func openChannel(of registration: Registration) {
    if let channel { return channel.reopen(for: registration.webhookID) }
    channel = PushChannel(
      client: client, webhookID: registration.webhookID,
      onChange: { [unowned(unsafe) self] in unsafe owner.pushChannelChanged($0) },
      onNotification: { [unowned(unsafe) self] in unsafe owner.notified($0) })
  }

  /// Sends a message to the webhook. Returns false where it cannot.
  public func post(_ body: borrowing ByteBuffer, to registration: Registration) -> Bool {
    let bytes = body.bytes
    return client.sendDirectMessage(telling: self) { message in
      HandledWebhook.appendCall(webhookID: registration.webhookID, body: bytes, to: &message)
    }
  }

  /// Gives up the message that is under way.
  public func cancelPost() { client.cancelDirectMessage() }

  /// Reads the body of the last answer to a message.
  public func readResponse(_ read: (inout ByteBuffer) -> Void) { read(&response) }
}

extension WebSocketTransport: DirectMessageOwner {
  public func directMessageAnswered(_ result: Span<UInt8>) {
    do throws(JSONDecodingError) {
      let status = try HandledWebhook.readReply(result, body: &response)
      unsafe owner.postAnswered(status: status)
    } catch {
      unsafe owner.postFailed(InlineText("the answer over the WebSocket is malformed"))
    }
  }

  public func directMessageFailed(_ error: RequestError) {
    unsafe owner.postFailed(InlineText(error.reason))
  }
}

extension RequestError {
  /// Why a message did not arrive, for people.
  fileprivate var reason: StaticString {
    switch self {
    case .server: "Home Assistant refused it over the WebSocket"
    case .rejected: "Home Assistant does not accept the credential"
    case .expired: "no answer came over the WebSocket"
    case .disconnected, .cancelled: "the WebSocket was closed"
    default: "the WebSocket failed"
    }
  }
}
