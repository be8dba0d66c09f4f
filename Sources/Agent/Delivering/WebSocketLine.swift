import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// Who is told what became of a message over the WebSocket.
protocol WebSocketPostOwner: AnyObject {
  func postAnswered(status: Int, _ body: inout ByteBuffer)
  func postFailed(_ reason: InlineText)
}

/// The open WebSocket to Home Assistant: notifications come over it, and messages to the webhook
/// may go over it.
final class WebSocketLine {
  private static let responseByteCountMax = 256 * 1024

  private let driver: NetworkDriver
  private let client: Client
  private let login: Login
  private let keeper: Keeper
  private let reporter: Reporter
  private let isChannelWanted: Bool
  private var channel: PushChannel?
  private var observation: Observation?
  private var response = ByteBuffer(capacity: WebSocketLine.responseByteCountMax)
  private unowned(unsafe) var owner: (any WebSocketPostOwner)?
  /// Since when it is open, or not.
  private var standsSince = Moment.now.instant
  private var wasOpen = false
  /// Whether the message that was sent last went this way.
  private(set) var carriedLastMessage = false
  /// Whether the connection of that message still stands: Home Assistant did not restart.
  private(set) var isConnectionKept = false

  /// It connects when it is allowed to. Nil where libcurl cannot start. `isChannelWanted` says
  /// whether notifications are to come.
  init?(
    settings: Configuration.HomeAssistantSettings, isChannelWanted: Bool, login: Login,
    rejected: RejectedTokens, keeper: Keeper, loop: EventLoop, reporter: Reporter
  ) {
    guard
      let driver = NetworkDriver(
        address: settings.url, tokens: login.tokens(rejected), settings: settings.tls, loop: loop,
        userAgent: homewardUserAgent)
    else { return nil }
    self.driver = driver
    self.login = login
    self.keeper = keeper
    self.reporter = reporter
    self.isChannelWanted = isChannelWanted
    // Away from home a request is no reason to connect.
    var policy = SessionPolicy.unattended
    policy.connectsAutomatically = false
    client = driver.makeClient(policy: policy, seed: randomSeed())
    observation = client.observe { [unowned(unsafe) self] in unsafe stateChanged($0) }
  }

  var deadline: Instant? { earliest(driver.deadline, channel?.deadline) }

  func deadlineReached(now: Instant) {
    driver.deadlineReached(now: now)
    channel?.deadlineReached(now: now)
  }

  /// Whether the token, with which every connection begins, may be sent now.
  func setAllowed(_ isAllowed: Bool) {
    if !isAllowed { client.disconnect() }
    driver.setTokensAllowed(isAllowed)
    if isAllowed { client.connect() }
  }

  /// For people who ask.
  var status: StatusReport.WebSocket {
    StatusReport.WebSocket(state: client.state, since: standsSince)
  }

  private func stateChanged(_ state: ConnectionState) {
    if state.isOpen != wasOpen {
      wasOpen = state.isOpen
      standsSince = Moment.now.instant
    }
    switch state {
    case .down(.rejected):
      isConnectionKept = false
      // An access token that was refused is replaced once.
      guard driver.isCredentialRejected else { return }
      keeper.keep(rejectedFingerprint: login.credential.fingerprint)
    case .down: isConnectionKept = false
    case .connecting, .authenticating, .ready: break
    }
    reporter.webSocket(state, of: login)
  }

  /// Whether requests find their way now.
  var isOpen: Bool { client.state.isOpen }

  /// Asks Home Assistant something, and tells `completion` the answer.
  func send(_ request: RawRequest, _ completion: @escaping (Result<JSON, RequestError>) -> Void) {
    _ = client.send(request, completion)
  }

  // MARK: Notifications

  /// Takes the notifications of this registration, and of none before it.
  func openChannel(of registration: Registration) {
    guard isChannelWanted else { return }
    channel = PushChannel(
      client: client, webhookID: registration.webhookID,
      onChange: { [reporter] in reporter.pushChannel($0) },
      onNotification: { [reporter] in reporter.notification($0) })
  }

  // MARK: Messages

  /// Sends a message to the webhook, and tells `owner` what became of it. Returns false where
  /// there is no connection.
  func post(
    _ body: borrowing ByteBuffer, to registration: Registration,
    telling owner: any WebSocketPostOwner
  ) -> Bool {
    let bytes = body.bytes
    carriedLastMessage = client.sendDirectMessage(telling: self) { message in
      HandledWebhook.appendCall(webhookID: registration.webhookID, body: bytes, to: &message)
    }
    if carriedLastMessage { unsafe self.owner = owner }
    return carriedLastMessage
  }

  private func takeOwner() -> (any WebSocketPostOwner)? {
    defer { unsafe owner = nil }
    return unsafe owner
  }
}

extension WebSocketLine: DirectMessageOwner {
  func directMessageAnswered(_ result: Span<UInt8>) {
    let owner = takeOwner()
    do throws(JSONDecodingError) {
      let status = try HandledWebhook.readReply(result, body: &response)
      isConnectionKept = true
      owner?.postAnswered(status: status, &response)
    } catch {
      owner?.postFailed(InlineText("the answer over the WebSocket is none"))
    }
  }

  func directMessageFailed(_ error: RequestError) {
    takeOwner()?.postFailed(InlineText(error.reason))
  }
}

extension ConnectionState {
  fileprivate var isOpen: Bool { if case .ready = self { true } else { false } }
}

extension RequestError {
  /// Why a message did not arrive, for people.
  fileprivate var reason: StaticString {
    switch self {
    case .server: "Home Assistant refused the message over the WebSocket"
    case .rejected: "Home Assistant does not accept the credential"
    case .expired: "no answer came over the WebSocket"
    case .disconnected, .cancelled: "the WebSocket was closed"
    default: "the WebSocket failed"
    }
  }
}
