public import Bytes
public import HomeAssistant

/// Receiver of the events of the WebSocket and of the answers over it.
public protocol WebSocketTransportOwner: AnyObject {
  func webSocketChanged(_ state: ConnectionState)
  /// Reports an answer, whose body `WebSocketTransport.readResponse` returns.
  func postAnswered(status: Int)
  func postFailed(_ reason: InlineText)
  func asked(_ result: Result<JSON, RequestError>)
  func pushChannelChanged(_ change: PushChannel.Change)
  func notified(_ notification: Result<PushNotification, RequestError>)
}

/// Adapter between an `Uplink` and the client of Home Assistant's WebSocket, for notifications,
/// messages to the webhook and requests.
public final class WebSocketTransport {
  private static let responseByteCountMax = 256 * 1024

  private let client: Client
  private unowned(unsafe) let owner: any WebSocketTransportOwner
  private var channel: PushChannel?
  private var observation: Observation?
  private var response = ByteBuffer(capacity: WebSocketTransport.responseByteCountMax)
  private var wasOpen = false
  /// Time since which it is open, or closed.
  public private(set) var stateSince: Instant

  /// Session policy. A request opens no connection, because the board may be away from home.
  public static var policy: SessionPolicy {
    var policy = SessionPolicy.unattended
    policy.connectsAutomatically = false
    // The answers with a day's statistics of all sensors have a third of it.
    policy.answerValueCountMax = 65_536
    return policy
  }

  /// `owner` must outlive this object.
  public init(_ client: Client, telling owner: any WebSocketTransportOwner) {
    self.client = client
    unsafe self.owner = owner
    stateSince = client.now
    observation = client.observe { [unowned(unsafe) self] in unsafe stateChanged($0) }
  }

  /// Time at which `deadlineReached` is due; the client's own deadline belongs to its driver.
  public var deadline: Instant? { channel?.deadline }

  public func deadlineReached(now: Instant) { channel?.deadlineReached(now: now) }

  public var state: ConnectionState { client.state }

  /// Sets whether a token may be sent, with which every connection begins.
  public func setAllowed(_ isAllowed: Bool) {
    if isAllowed { client.connect() } else { client.disconnect() }
  }

  /// Checks the connection, because the network changed or Home Assistant seems to be reachable: a
  /// waiting client connects now, and an open connection is tested.
  public func check() { client.networkChanged() }

  /// Sets the delays: they are longer on a battery, because each attempt wakes the radio.
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

  // MARK: Requests and messages

  public func ask(_ request: RawRequest) {
    _ = client.send(request) { [unowned(unsafe) self] in unsafe owner.asked($0) }
  }

  /// Receives the notifications of this registration, and no further ones of an earlier one.
  public func openChannel(of registration: Registration) {
    if let channel { return channel.reopen(for: registration.webhookID) }
    channel = PushChannel(
      client: client, webhookID: registration.webhookID,
      onChange: { [unowned(unsafe) self] in unsafe owner.pushChannelChanged($0) },
      onNotification: { [unowned(unsafe) self] in unsafe owner.notified($0) })
  }

  /// Sends a message to the webhook. Returns false if that is not possible.
  public func post(_ body: borrowing ByteBuffer, to registration: Registration) -> Bool {
    let bytes = body.bytes
    return client.sendDirectMessage(telling: self) { message in
      HandledWebhook.appendCall(webhookID: registration.webhookID, body: bytes, to: &message)
    }
  }

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
  /// Reason of a failed message, for people.
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
