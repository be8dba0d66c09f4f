import Board
import Bytes
import Drivers
import HomeAssistant
import LinuxIO
import Outbox
import Sensing
import Transport

/// Performs the actions of an `Uplink` with the disk, the network and the sources, and reports the
/// results to it. It decides nothing.
final class UplinkDriver {
  private static let messageByteCountMax = Envelope.byteCount(sealing: SensorTable.dataByteCountMax)
  private static let loginByteCountMax = 16 * 1024
  /// Size of Home Assistant's configuration with 256 sensors and a thousand components.
  private static let responseByteCountMax = 256 * 1024

  let uplink: Uplink
  let settings: Configuration.HomeAssistantSettings
  private let reporter: Reporter
  private let state: StateDirectory
  private let spoolFiles: SpoolFiles
  private let hours: HoursFile
  private let messages: HTTPClient
  private let logins: SecretTransfers
  /// Requests to the push relay, and their address; nil without one.
  private let push: (transfers: SecretTransfers, endpoint: Endpoint)?
  /// Nil without a WebSocket.
  private let socket: WebSocketDriver?
  private(set) var webSocket: WebSocketTransport?
  private var supervisor: Supervisor?
  private var executor: CommandExecutor?
  /// Endpoint of the last message, rebuilt only after a change, so that a steady cycle allocates
  /// nothing for it.
  private var last: (route: Route, address: [UInt8], webhookID: [UInt8], endpoint: Endpoint)?
  private var isPerforming = false
  private var hasBegunCycle = false
  private var hasReportedFull = false

  /// Nil if libcurl cannot start.
  init?(
    _ uplink: Uplink, settings: Configuration.HomeAssistantSettings,
    state: StateDirectory, hours: HoursFile, socket: WebSocketDriver?,
    relay: (settings: TransportSettings, endpoint: Endpoint)?, loop: EventLoop, reporter: Reporter
  ) {
    guard
      let messages = HTTPClient(
        loop: loop, settings: settings.tls, requestByteCountMax: Self.messageByteCountMax,
        responseByteCountMax: Self.responseByteCountMax, userAgent: homewardUserAgent)
    else { return nil }
    self.uplink = uplink
    self.settings = settings
    self.state = state
    self.hours = hours
    self.socket = socket
    self.messages = messages
    logins = SecretTransfers(
      .login, settings: settings.tls, loop: loop, requestByteCountMax: Self.loginByteCountMax)
    push = relay.map { relay in
      let transfers = SecretTransfers(
        .push, settings: relay.settings, loop: loop,
        requestByteCountMax: PushFetch.requestByteCountMax,
        responseByteCountMax: PushFetch.responseByteCountMax)
      return (transfers, relay.endpoint)
    }
    self.reporter = reporter
    spoolFiles = SpoolFiles(in: state.path)
  }

  /// Starts the work. The driver outlives its arguments.
  func start(sampling supervisor: Supervisor, commanding executor: CommandExecutor) {
    self.supervisor = supervisor
    self.executor = executor
    if let socket {
      let client = socket.makeClient(
        policy: WebSocketTransport.policy, seed: randomSeed(), telling: self)
      webSocket = WebSocketTransport(client, telling: self)
    }
    perform()
  }

  // MARK: Sensor data

  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    if let index = uplink.declare(sensor) { return index }
    if !hasReportedFull {
      hasReportedFull = true
      reporter.sensorLeftOut(sensor.name)
    }
    return nil
  }

  func record(_ reading: Reading) {
    uplink.record(reading)
    performDueWrite()
  }

  func record(_ fix: Fix) {
    uplink.record(fix)
    performDueWrite()
  }

  func placeChanged(_ place: NetworkPlace) {
    uplink.placeChanged(place, now: Moment.now.instant)
    perform()
  }

  // MARK: Time

  var deadline: Instant {
    let transfers = earliest(messages.deadline, logins.deadline)
    let sockets = earliest(
      push?.transfers.deadline, earliest(socket?.deadline, webSocket?.deadline))
    let next = earliest(transfers, sockets)
    return next.map { min($0, uplink.deadline) } ?? uplink.deadline
  }

  func clockRead(_ moment: Moment) {
    if uplink.clockRead(moment.instant, moment.wallTime) { perform() }
  }

  func boardWoke(after sleep: Duration, now: Instant) {
    uplink.boardWoke(after: sleep, now: now)
    perform()
  }

  func readClockState() { uplink.clockStateRead(isSynchronized: isClockSynchronized) }

  func deadlineReached(now: Instant) {
    messages.deadlineReached(now: now)
    logins.deadlineReached(now: now)
    push?.transfers.deadlineReached(now: now)
    socket?.deadlineReached(now: now)
    webSocket?.deadlineReached(now: now)
    uplink.deadlineReached(now: now)
    perform()
  }

  /// Handles the end of a turn of the loop.
  func sourcesReady(isGathering: Bool, now: Instant) {
    uplink.sourcesReady(
      isGathering: isGathering, isConnectionKept: messages.isConnectionKept, now: now)
    perform()
  }

  /// Returns whether the sources were sampled since the last call.
  func takeCycle() -> Bool {
    defer { hasBegunCycle = false }
    return hasBegunCycle
  }

  func stopping() {
    uplink.stopping()
    perform()
  }

  /// Writes the data that only this process has, if the disk accepts it.
  func keepEverything() {
    uplink.keepEverything()
    perform()
  }

  // MARK: Actions of the uplink

  /// Performs all pending actions. Events meanwhile only add more.
  private func perform() {
    guard !isPerforming else { return }
    isPerforming = true
    while let action = uplink.nextAction() { perform(action) }
    isPerforming = false
    reporter.spool(uplink.spool.failure, uplink.spool.losses)
  }

  private func performDueWrite() {
    while uplink.isWriteDue, let action = uplink.nextSpoolAction() { perform(action) }
  }

  private func perform(_ action: Spool.Action) {
    spoolFiles.perform(action, for: uplink.spool, now: Moment.now.instant)
  }

  private func perform(_ action: Uplink.Action) {
    switch action {
    case .disk(let action): perform(action)
    case .sample:
      supervisor?.sample(at: .now)
      hasBegunCycle = true
    case .setPace(let pace): supervisor?.paceChanged(to: pace)
    case .perform(let order, let call):
      uplink.performed(order, for: call, executor?.perform(order, at: .now))
    case .reboot: reporter.rebooting(executor?.reboot())
    case .readClockState: readClockState()
    case .write(let write): state.perform(write, for: uplink)
    case .readRejectedTokens: state.readRejectedTokens(for: uplink)
    case .readTokenFile:
      uplink.tokenFileRead(settings.tokenFile.map(readToken) ?? .failure(.noFileNamed))
    case .keepCommandIDs: state.keepCommandIDs(of: uplink)
    case .keepHours: uplink.hoursKept(hours.write(uplink.waitingHours))
    case .send(let call, let ifWritable):
      if canMakeCall(call.channel, ifWritable: ifWritable) { send(call) }
    case .cancel(.webhook):
      messages.cancel()
      webSocket?.cancelPost()
    case .cancel(.login): logins.cancel()
    case .cancel(.push): push?.transfers.cancel()
    case .leaveConnection:
      messages.leaveConnection()
      logins.leaveConnection()
      push?.transfers.leaveConnection()
    case .post(let ifWritable): if canMakeCall(.webhook, ifWritable: ifWritable) { post() }
    case .ask(let request): webSocket?.ask(request)
    case .setWebSocketAllowed(let isAllowed): webSocket?.setAllowed(isAllowed)
    case .connectWebSocket: webSocket?.setAllowed(true)
    case .checkWebSocket: webSocket?.check()
    case .setWebSocketOnBattery(let isOnBattery): webSocket?.setOnBattery(isOnBattery)
    case .giveTokenToWebSocket(let result): socket?.tokenFetched(result)
    case .openPushChannel(let registration): webSocket?.openChannel(of: registration)
    case .tell(let event): reporter.uplink(event, of: uplink)
    }
  }

  // MARK: Requests

  private func canMakeCall(_ channel: Uplink.Channel, ifWritable: Bool) -> Bool {
    !ifWritable || state.canKeepResult(of: channel, for: uplink)
  }

  private func send(_ call: Uplink.Call) {
    switch call {
    case .message(let route):
      writeMessage()
      messages.send(to: endpoint(over: route), telling: self)
    case .registration(let token):
      let identity = uplink.identity
      let path = [UInt8](RegistrationRequest.path)
      logins.send(
        to: Endpoint(address: settings.url, path: path, bearerToken: token), telling: self
      ) { identity.write(into: &$0) }
    case .token(let call):
      logins.send(to: Endpoint(address: settings.url, call), telling: self) {
        $0.removeAll()
        $0.append(call.body)
      }
    case .fetch:
      let uplink = uplink
      push.map {
        $0.transfers.send(to: $0.endpoint, telling: self) { uplink.writeFetch(into: &$0) }
      }
    }
  }

  private func endpoint(over route: Route) -> Endpoint {
    guard let address = uplink.delivery.routes.url(of: route),
      let registration = uplink.registration
    else { preconditionFailure("a message goes over a route with an address") }
    let id = registration.webhookID
    if let last, last.route == route, last.address == address, last.webhookID == id {
      return last.endpoint
    }
    let endpoint = Endpoint(
      address: address, path: route.path(of: registration),
      trust: route.isConfigured ? .configured : .system)
    last = (route, address, id, endpoint)
    return endpoint
  }

  private func post() {
    writeMessage()
    guard let registration = uplink.registration,
      webSocket?.post(messages.request, to: registration) == true
    else { return uplink.postRefused() }
  }

  private func writeMessage() {
    uplink.writeMessage(nonce: Nonce(randomBytes: randomBytes()), into: &messages.request)
  }
}

extension UplinkDriver: ReadingSink {}

extension UplinkDriver: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    let now = Moment.now.instant
    switch result {
    case .answered:
      uplink.messageAnswered(messages.answerHead, &messages.response, now: now)
    case .failed(let reason): uplink.messageFailed(reason, now: now)
    }
    perform()
  }
}

extension UplinkDriver: SecretTransfersOwner {
  func secretTransferEnded(_ result: TransferResult, of channel: Uplink.Channel) {
    let now = Moment.now.instant
    switch (channel, result) {
    case (.push, .answered):
      push?.transfers.readResponse { uplink.fetchAnswered($0, &$1, now: now) }
    case (.push, .failed(let reason)): uplink.fetchFailed(reason, now: now)
    case (_, .answered): logins.readResponse { uplink.loginAnswered($0, $1, now: now) }
    case (_, .failed(let reason)): uplink.loginFailed(reason, now: now)
    }
    perform()
  }
}

extension UplinkDriver: WebSocketTransportOwner {
  func webSocketChanged(_ state: ConnectionState) {
    uplink.webSocketChanged(state, now: Moment.now.instant)
    perform()
  }

  func postAnswered(status: Int) {
    let now = Moment.now.instant
    let head = AnswerHead(status: status)
    webSocket?.readResponse { uplink.messageAnswered(head, &$0, now: now) }
    perform()
  }

  func postFailed(_ reason: InlineText) {
    uplink.messageFailed(reason, now: Moment.now.instant)
    perform()
  }

  func asked(_ result: Result<JSON, RequestError>) {
    uplink.asked(result, now: Moment.now.instant)
    perform()
  }

  func pushChannelChanged(_ change: PushChannel.Change) {
    reporter.pushChannel(change)
    uplink.pushChannelChanged(change, now: Moment.now.instant)
    perform()
  }

  func notified(_ notification: Result<PushNotification, RequestError>) {
    switch notification {
    case .success(let notification):
      uplink.notified(notification, now: Moment.now.instant)
      perform()
    case .failure: reporter.notificationUnreadable()
    }
  }
}

extension UplinkDriver: WebSocketDriverOwner {
  func tokenWanted(refused: RefusedToken?) {
    uplink.webSocketWantsToken(refused: refused, now: Moment.now.instant)
    perform()
  }
}

extension StateDirectory {
  /// Performs a write, and reports the result to `uplink`.
  fileprivate func perform(_ write: Uplink.StateWrite, for uplink: Uplink) {
    do throws(CommandFailure) {
      switch write {
      case .registration(let registration): try keep(registration)
      case .rejection(let fingerprint, let isForGood):
        try keep(rejectedFingerprint: fingerprint, isForGood: isForGood)
      case .acceptance(let fingerprint): try keep(acceptedFingerprint: fingerprint)
      case .keyless(let registration): try keepKeyless(registration)
      }
      uplink.stateWritten()
    } catch { uplink.stateFailed(words: error.text.bytes) }
  }

  /// Returns whether the result of a call can be stored, and reports it to `uplink`.
  fileprivate func canKeepResult(of channel: Uplink.Channel, for uplink: Uplink) -> Bool {
    do throws(CommandFailure) {
      try checkCanKeep()
      uplink.stateWritten()
      return true
    } catch {
      uplink.callNotMade(channel, words: error.text.bytes)
      return false
    }
  }

  fileprivate func keepCommandIDs(of uplink: Uplink) {
    do throws(CommandFailure) {
      try keep(uplink.commandIDs)
      uplink.commandIDsKept(failure: nil)
    } catch { uplink.commandIDsKept(failure: error.text.bytes) }
  }

  fileprivate func readRejectedTokens(for uplink: Uplink) {
    do throws(CommandFailure) { uplink.rejectedTokensRead(try keptRejectedTokens()) } catch {
      uplink.rejectedTokensRead(nil, words: error.text.bytes)
    }
  }
}
