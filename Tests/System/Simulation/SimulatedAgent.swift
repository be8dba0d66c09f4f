import Bytes
import HomeAssistant
import ModelDisk
import Sensing

@testable import Outbox

/// One life of the agent, from the start of its process to its end: the agent's own `Uplink`, over
/// files, a network, sources and a clock that are none. It performs what the machine wants, and
/// decides nothing.
///
/// Whatever throws a `PowerLoss` ends it in the middle of what it did.
final class SimulatedAgent {
  private let world: World
  let life: Int
  private let state: StateFiles
  private let spoolFiles: SpoolFiles
  private let device = SimulatedAgent.device
  let uplink: Uplink
  /// The calls that are under way, by their channel.
  private var messageCall: Int?
  private var loginCall: Int?
  /// What the connection of the last message hung on.
  private var keptConnection: World.Connection?
  private var socket: SimulatedSocket?
  private var webSocket: WebSocketTransport?
  private var request = ByteBuffer(
    capacity: Envelope.byteCount(sealing: SensorTable.dataByteCountMax))
  private var random: SplitMix64
  private var sensors: [SensorIndex] = []
  private var isPerforming = false

  /// Starts it on what is on the disk.
  init(in world: World, life: Int) throws {
    self.world = world
    self.life = life
    var random = SplitMix64(seed: world.seed &+ UInt64(life) << 32)
    let files = Files(world: world)
    state = StateFiles(files: files)
    spoolFiles = SpoolFiles(files: files, life: life)
    var memory = Uplink.Memory(registration: try state.registration())
    if let registration = memory.registration {
      memory.isKeyless = try state.isKeyless(registration)
    }
    memory.credential = try state.credential(world.plan.login)
    if world.plan.importsStatistics { memory.waitingHours = try state.hours(of: device) }
    let identity = Self.identity
    let spool = Spool(
      device: device, durability: world.plan.durability,
      byteCountCap: world.plan.spoolByteCountCap,
      segmentByteCount: world.plan.segmentByteCount, seed: random.next())
    uplink = Uplink(
      world.plan.settings, identity: identity,
      history: History(
        History.Device(id: identity.deviceID, name: identity.deviceName), spool: spool,
        of: SensorTable(), bytesPerMinute: world.plan.historyBytesPerMinute,
        kernelStart: UInt64(world.kernelStartCount)),
      memory: memory, seed: random.next(), now: world.instant)
    self.random = random
    for sensor in world.board.sensors { declare(sensor) }
    if world.plan.settings.webSocket != nil {
      let socket = SimulatedSocket(world, life: life) { [unowned self] refused in
        uplink.webSocketWantsToken(refused: refused, now: world.instant)
      }
      let client = Client(driver: socket, policy: WebSocketTransport.policy, seed: random.next())
      socket.client = client
      self.socket = socket
      webSocket = WebSocketTransport(client, telling: self)
    }
  }

  static let identity = RegistrationRequest(
    deviceID: [UInt8]("board-1".utf8), deviceName: [UInt8]("Boat".utf8), manufacturer: [],
    model: [], osName: [UInt8]("Linux".utf8), osVersion: [UInt8]("6.12".utf8),
    appVersion: [UInt8]("1".utf8))

  static let device = DeviceFingerprint(ofDeviceID: identity.deviceID)

  private func declare(_ sensor: BoardSensor) {
    guard let index = uplink.declare(sensor.description) else {
      preconditionFailure("a board of a few sensors")
    }
    sensors.append(index)
  }

  // MARK: Time

  var deadline: Instant {
    let sockets = earliest(socket?.client.deadline, webSocket?.deadline)
    return sockets.map { min($0, uplink.deadline) } ?? uplink.deadline
  }

  /// One turn of its loop, which slept: the clocks come before all that woke it, and that before
  /// what is due and what the sources said.
  private func turn(_ tellWatchers: () throws -> Void) throws {
    let now = world.instant
    uplink.clockRead(now, world.wallTime)
    try perform()
    try tellWatchers()
    if let client = socket?.client, let end = client.deadline, now >= end {
      client.deadlineReached()
    }
    webSocket?.deadlineReached(now: now)
    uplink.deadlineReached(now: now)
    try perform()
    uplink.sourcesReady(isConnectionKept: isConnectionKept, now: now)
    try perform()
  }

  /// A deadline has come.
  func wake() throws { try turn {} }

  private var isConnectionKept: Bool {
    keptConnection.map { $0 == world.connection(over: $0.link) } ?? false
  }

  // MARK: What is looked at from outside

  var spool: Spool { uplink.delivery.history.spool }

  /// The hours for the statistics that stand on the disk, whatever state that is in.
  var keptHours: WaitingHours? {
    guard let file = world.disk.bytes(of: StateFiles.hours) else { return WaitingHours() }
    return try? WaitingHours(file: file.span, of: device)
  }

  // MARK: What is sensed

  private func sample() throws {
    world.advance()
    for place in sensors.indices { try record(place) }
    guard let fix = world.fix() else { return }
    try world.step()
    world.ledger.made(fix, at: world.now, age: world.instant - fix.notBefore)
    watched { uplink.record(fix) }
    try performDueWrite()
    world.ledger.recorded(in: life)
  }

  /// What takes the place of an entry in memory is held against what is counted.
  private func watched(_ record: () -> Void) {
    let witness = world.ledger.witness
    let oldest = witness.oldestInFullMemory(spool, life: life)
    record()
    witness.recorded(spool, oldest: oldest)
  }

  /// A sensor says something; an urgent one starts a cycle.
  func sensed(_ place: Int) throws { try turn { try record(place) } }

  private func record(_ place: Int) throws {
    try world.step()
    let sensor = world.board.sensors[place]
    world.ledger.made(sensor, at: world.now, trueTime: world.trueTime)
    watched {
      uplink.record(Reading(sensor: sensors[place], value: sensor.value, time: world.wallTime))
    }
    try performDueWrite()
    world.ledger.recorded(in: life)
  }

  func placeChanged(_ place: NetworkPlace) throws {
    try turn {
      uplink.placeChanged(place, now: world.instant)
      try perform()
    }
  }

  // MARK: What the machine wants

  private func perform() throws {
    guard !isPerforming else { return }
    isPerforming = true
    defer { isPerforming = false }
    var count = 0
    while let action = uplink.nextAction() {
      try perform(action)
      count += 1
      guard count < World.actionsAtOnceMax else {
        return world.ledger.complain("the agent does not come to rest", at: world.now)
      }
    }
  }

  /// What is recorded one after the other is on the disk one after the other.
  private func performDueWrite() throws {
    while uplink.isWriteDue, let action = uplink.nextSpoolAction() { try perform(.disk(action)) }
  }

  private func perform(_ action: Uplink.Action) throws {
    switch action {
    case .disk(let action):
      try spoolFiles.perform(action, for: spool, now: world.instant)
    case .sample:
      // What is under way for so long is written to the disk, and taken from there again.
      if uplink.delivery.underWay?.route != nil { world.ledger.mayComeAgain() }
      try sample()
    case .readClockState: uplink.clockStateRead(isSynchronized: world.isClockSynchronized)
    case .write(let write): try perform(write)
    case .readRejectedTokens:
      var rejected: RejectedTokens?
      try attempt { rejected = try state.rejectedTokens() }
      uplink.rejectedTokensRead(rejected, words: Self.diskWords)
    case .readTokenFile: uplink.tokenFileRead(try state.readToken())
    case .keepHours:
      let hours = uplink.waitingHours
      uplink.hoursKept(try attempt { try state.write(hours, of: device) })
    case .send(let call, let ifWritable):
      if try canMakeCall(call.channel, ifWritable) { try send(call) }
    case .cancel(.webhook):
      messageCall = nil
      webSocket?.cancelPost()
    case .cancel: loginCall = nil
    case .leaveConnection: keptConnection = nil
    case .post(let ifWritable): if try canMakeCall(.webhook, ifWritable) { try post() }
    case .ask(let request): webSocket?.ask(request)
    case .setWebSocketAllowed(let isAllowed): webSocket?.setAllowed(isAllowed)
    case .connectWebSocket: webSocket?.setAllowed(true)
    case .checkWebSocket: webSocket?.check()
    case .setWebSocketOnBattery(let isOnBattery): webSocket?.setOnBattery(isOnBattery)
    case .giveTokenToWebSocket(let result): socket?.give(result)
    case .openPushChannel(let registration): webSocket?.openChannel(of: registration)
    case .setPace, .perform, .reboot, .keepCommandIDs: break
    case .tell(let event): try tell(event)
    }
  }

  private static let diskWords = [UInt8]("the disk".utf8)

  /// Why it failed, where it did.
  @discardableResult
  private func attempt(_ action: () throws -> Void) throws -> DiskFailure? {
    do {
      try action()
      return nil
    } catch let failure as ModelDisk.Failure {
      return DiskFailure(code: failure.code)
    }
  }

  private func perform(_ write: Uplink.StateWrite) throws {
    let failure = try attempt {
      switch write {
      case .registration(let registration): try state.write(registration)
      case .rejection(let fingerprint, let isForGood):
        try state.change {
          $0.insert(fingerprint: fingerprint, isForGood: isForGood, now: world.instant)
        }
      case .acceptance(let fingerprint):
        try state.change { _ = $0.remove(fingerprint: fingerprint) }
      case .keyless(let registration): try state.writeKeyless(registration)
      }
    }
    if failure == nil { uplink.stateWritten() } else { uplink.stateFailed(words: Self.diskWords) }
  }

  private func tell(_ event: Uplink.Event) throws {
    world.tell("\(event)")
    try world.step()
    switch event {
    case .delivery(let event):
      world.ledger.told(
        event, isAnswerGenuine: world.isAnswerGenuine, at: world.now, trueTime: world.trueTime)
    case .registered: world.ledger.mayComeAgain()
    case .notRegistered: world.ledger.hours.reachChanged(false, at: world.trueTime)
    default: break
    }
  }

  // MARK: Requests

  private func canMakeCall(_ channel: Uplink.Channel, _ ifWritable: Bool) throws -> Bool {
    guard ifWritable else { return true }
    let isWritable = try attempt { try state.checkIsWritable() } == nil
    if isWritable { uplink.stateWritten() }
    if !isWritable { uplink.callNotMade(channel, words: Self.diskWords) }
    return isWritable
  }

  private func send(_ call: Uplink.Call) throws {
    switch call {
    case .message(let route):
      let path = uplink.registration.map(route.path) ?? []
      writeMessage()
      messageCall = try send(
        Letter(path: String(decoding: path, as: UTF8.self), body: [UInt8](request.bytes)),
        over: Link(route))
    case .registration(let token):
      var body = ByteBuffer(capacity: 4096)
      uplink.identity.write(into: &body)
      loginCall = try send(
        Letter(
          path: String(decoding: [UInt8](RegistrationRequest.path), as: UTF8.self), token: token,
          body: [UInt8](body.bytes)), over: .instance)
    case .token(let call):
      loginCall = try send(
        Letter(
          path: String(decoding: call.path, as: UTF8.self), body: call.body,
          isForm: call.encoding == .form), over: .instance)
    case .fetch: break
    }
  }

  private func writeMessage() {
    var nonce = InlineArray<24, UInt8>(repeating: 0)
    for index in 0..<24 { nonce[index] = UInt8(truncatingIfNeeded: random.next()) }
    uplink.writeMessage(nonce: Nonce(randomBytes: nonce), into: &request)
  }

  private func send(_ letter: Letter, over link: Link) throws -> Int {
    try world.step()
    world.tell("sends to \(letter.path) over \(link)")
    let number = world.send(letter, over: link, from: life)
    try world.step()
    return number
  }

  private func post() throws {
    writeMessage()
    try world.step()
    guard let registration = uplink.registration,
      webSocket?.post(request, to: registration) == true
    else { return uplink.postRefused() }
    world.tell("posts")
    world.ledger.posted(at: world.now)
  }

  /// A call has its answer, or will have none.
  func ended(_ call: Call, _ end: CallEnd) throws {
    try turn {
      if call.number == messageCall {
        messageCall = nil
        try messageEnded(end, over: call.link)
      } else if call.number == loginCall {
        loginCall = nil
        loginEnded(end)
        try perform()
      }
    }
  }

  private func messageEnded(_ end: CallEnd, over link: Link) throws {
    let now = world.instant
    keptConnection = end == .failed ? nil : world.connection(over: link)
    switch end {
    case .failed: uplink.messageFailed(InlineText("no answer"), now: now)
    case .answered(let reply):
      var body = ByteBuffer(capacity: 256 * 1024)
      body.append(reply.body)
      uplink.messageAnswered(AnswerHead(status: reply.status), &body, now: now)
    }
    try perform()
    guard !uplink.isRegistering, uplink.delivery.outage.isUnderWay,
      uplink.delivery.underWay?.route == nil, spool.failure == nil
    else { return }
    world.ledger.cycleFailed(entryCountInMemory: spool.entryCountInMemory, at: world.now)
  }

  private func loginEnded(_ end: CallEnd) {
    switch end {
    case .failed: uplink.loginFailed(InlineText("no answer"), now: world.instant)
    case .answered(let reply):
      var body = ByteBuffer(capacity: 64 * 1024)
      body.append(reply.body)
      uplink.loginAnswered(AnswerHead(status: reply.status), body, now: world.instant)
    }
  }

  /// What may be under way to a place where no secret may go any more.
  var callsUnderWay: Set<Int> { Set([messageCall, loginCall].compactMap { $0 }) }

  // MARK: The WebSocket

  /// Something happened to a WebSocket of this life.
  func happened(to number: Int, _ happening: SocketHappening) throws {
    try turn {
      socket?.happened(to: number, happening)
      try perform()
    }
  }
}

extension SimulatedAgent: WebSocketTransportOwner {
  func webSocketChanged(_ state: ConnectionState) {
    uplink.webSocketChanged(state, now: world.instant)
  }

  func postAnswered(status: Int) {
    let head = AnswerHead(status: status)
    webSocket?.readResponse { uplink.messageAnswered(head, &$0, now: world.instant) }
  }

  func postFailed(_ reason: InlineText) { uplink.messageFailed(reason, now: world.instant) }

  func asked(_ result: Result<JSON, RequestError>) { uplink.asked(result, now: world.instant) }

  func pushChannelChanged(_ change: PushChannel.Change) {}
  func notified(_ notification: Result<PushNotification, RequestError>) {}
}
