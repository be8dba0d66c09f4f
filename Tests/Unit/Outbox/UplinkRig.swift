import Bytes
import Sensing

@testable import HomeAssistant
@testable import Outbox

/// An uplink whose driver is the test: it does at once what concerns the disk, and keeps the rest
/// for the test to look at.
final class UplinkRig {
  struct Setup {
    /// Nil for a long-lived token in a file.
    var refreshToken: String?
    /// Whether there is anything that tokens for the WebSocket come from.
    var hasCredential = true
    var knowsHome = false
    var url = "http://127.0.0.1:1"
    var isRegistered = false
    /// Whether that registration has no key.
    var isPlain = false
    var hasCloudhook = false
    var webSocket: Uplink.Settings.WebSocket?
    var registersAgainAfter: Duration?
    var durability = Durability.memory
    var waitingHours: WaitingHours?
    var rejected = RejectedTokens()
    var isClockSynchronized = false
    var track: TrackFilter.Settings?
    var commands: CommandKinds = []
    var uploadEvery: Duration?
    var powerLevels: [PowerLevel] = []
    var onceTimeout: Duration?
    /// Address of a push relay; nil without one.
    var pushURL: String?
    /// Whether the board registers with a route of notifications.
    var isNotifiable = false
    var commandIDs = CommandIDs()
  }

  static let nonce = Nonce(randomBytes: InlineArray(repeating: 7))
  static let interface = NetworkInterface(index: 1, name: InlineText("eth0"))
  static let gateway = HardwareAddress([2, 0, 0, 0, 0, 1].span)
  /// An hour that begins in 2027, when the rig's clocks begin.
  static let firstHour: Int64 = 500_000

  let uplink: Uplink
  /// What the state directory holds, and whether it can be written.
  var rejected: RejectedTokens
  var registrations: [Registration] = []
  var keptHours: [WaitingHours] = []
  var isWritable = true
  var tokenFile: Result<[UInt8], Enrollment.TokenFlaw> = .success([UInt8]("long-lived".utf8))
  private let isClockSynchronized: Bool
  private(set) var now = Instant(nanoseconds: 0)
  /// What was to be done and not on the disk, since it was looked at last.
  private(set) var calls: [Uplink.Call] = []
  private(set) var cancelled: [Uplink.Channel] = []
  /// How often no connection of before was to be used any more.
  private(set) var leftConnectionCount = 0
  private(set) var postCount = 0
  private(set) var problems: [Enrollment.Problem] = []
  private(set) var deliveryEvents: [DeliveryEvent] = []
  private(set) var stateFailures = 0
  private(set) var tokensForWebSocket: [TokenResult] = []
  private(set) var isWebSocketAllowed: Bool?
  /// How often the WebSocket was to be connected again.
  private(set) var connectCount = 0
  /// How often it was to connect now, or to show that it stands.
  private(set) var webSocketCheckCount = 0
  private(set) var isWebSocketOnBattery: Bool?
  private(set) var sampleCount = 0
  private(set) var spoolActions: [Spool.Action] = []
  /// How often the sources were told that they are asked.
  private(set) var paces: [SamplingPace] = []
  /// What commands wanted of the board, and why that cannot be done; nil where it can.
  private(set) var orders: [BoardOrder] = []
  var boardProblem: CommandProblem?
  private(set) var rebootCount = 0
  private(set) var results: [CommandResult] = []
  private(set) var notifications: [PushNotification] = []
  private(set) var pushEvents: [PushFetcher.Event] = []
  /// Every write of the commands that came, and the number of orders before it.
  private(set) var keptIDs: [(ids: CommandIDs, orderCount: Int)] = []
  /// What was sent; only that of a registration without a key can be read.
  private(set) var messages: [String] = []

  init(_ setup: Setup = Setup()) {
    var server = Uplink.Settings.Server(url: [UInt8](setup.url.utf8))
    if setup.knowsHome, let gateway = Self.gateway {
      server.home = .init(networks: HomeNetworks(gateways: [gateway]), url: server.url)
    }
    server.registersAgainAfter = setup.registersAgainAfter
    var settings = Uplink.Settings(
      server, every: .seconds(30), readsTokenFile: setup.refreshToken == nil)
    settings.webSocket = setup.webSocket
    settings.track = setup.track
    settings.commands = setup.commands
    settings.uploadEvery = setup.uploadEvery
    settings.powerLevels = setup.powerLevels
    settings.onceTimeout = setup.onceTimeout
    settings.pushURL = setup.pushURL.map { [UInt8]($0.utf8) }
    var memory = Uplink.Memory(registration: setup.isRegistered ? Self.registration(setup) : nil)
    memory.credential =
      setup.refreshToken.map {
        .refreshToken([UInt8]($0.utf8), clientID: [UInt8]("http://ha/".utf8))
      } ?? .accessToken([UInt8]("long-lived".utf8))
    if !setup.hasCredential { memory.credential = nil }
    memory.waitingHours = setup.waitingHours
    memory.commandIDs = setup.commandIDs
    if setup.pushURL != nil {
      memory.pushKeys = PushKeys(SecretKey(randomBytes: InlineArray(repeating: 7)))
    }
    rejected = setup.rejected
    isClockSynchronized = setup.isClockSynchronized
    let device = History.Device(id: [UInt8]("board".utf8), name: [UInt8]("Boat".utf8))
    var identity = Self.identity
    identity.push.isWebSocketWanted = setup.isNotifiable
    uplink = Uplink(
      settings, identity: identity,
      history: History(
        device,
        spool: Spool(
          device: DeviceFingerprint(ofDeviceID: device.id), durability: setup.durability, seed: 1),
        of: SensorTable()),
      memory: memory, seed: 1, now: now)
    perform()
  }

  private static let identity = RegistrationRequest(
    deviceID: [UInt8]("board".utf8), deviceName: [UInt8]("Boat".utf8), manufacturer: [], model: [],
    osName: [UInt8]("Linux".utf8), osVersion: [UInt8]("6.12".utf8), appVersion: [UInt8]("1".utf8))

  private static func registration(_ setup: Setup) -> Registration? {
    let digits = [UInt8](repeating: UInt8(ascii: "5"), count: 64)
    guard let key = SecretKey(hexadecimal: digits.span),
      var registration = Registration(
        webhookID: [UInt8]("webhook".utf8), protection: setup.isPlain ? .plain : .sealed(key))
    else { return nil }
    if setup.hasCloudhook {
      _ = registration.setAddresses(cloudhook: "https://127.0.0.1:1/hook", remoteUI: nil)
    }
    return registration
  }

  // MARK: Events

  func event(_ body: (Uplink, Instant) -> Void) {
    body(uplink, now)
    perform()
  }

  func wait(_ duration: Duration) {
    now = now + duration
    uplink.clockRead(now, wallTime())
    event { $0.deadlineReached(now: $1) }
  }

  func wallTime(ahead: Duration = .zero) -> WallTime {
    WallTime(startOfHour: Self.firstHour) + (now - Instant(nanoseconds: 0)) + ahead
  }

  func record(_ sensor: SensorIndex, _ value: Value) {
    event { uplink, _ in
      uplink.record(Reading(sensor: sensor, value: value, time: wallTime()))
    }
  }

  func record(_ sensor: SensorIndex, _ number: Int64) {
    record(sensor, .number(FixedPoint(number)))
  }

  /// A receiver tells where the board is, and the time.
  func locate(latitude: Double = 52, speed: Double = 0, clockAhead: Duration = .zero) {
    event { uplink, now in
      uplink.record(
        Fix(
          mode: .threeDimensional, latitude: latitude, longitude: 4, speedMetersPerSecond: speed,
          horizontalErrorMeters: 3, time: wallTime(ahead: clockAhead), notBefore: now))
    }
  }

  /// A cycle, of which the sources bring all at once.
  func cycle() { event { $0.sourcesReady(isConnectionKept: true, now: $1) } }

  func firstCycle() {
    wait(.zero)
    cycle()
  }

  func arrive(atHome isAtHome: Bool) {
    let place: NetworkPlace =
      isAtHome ? .wired(gateway: Self.gateway, Self.interface) : .elsewhere(Self.interface)
    event { $0.placeChanged(place, now: $1) }
  }

  /// A server answers the last call.
  func answer(_ status: Int, _ text: String? = nil) {
    let text = text ?? (status == 401 ? "401: Unauthorized" : "")
    var body = ByteBuffer(capacity: 4096)
    body.append([UInt8](text.utf8))
    if calls.last?.channel == .login {
      event { $0.loginAnswered(AnswerHead(status: status), body, now: $1) }
    } else {
      event { $0.messageAnswered(AnswerHead(status: status), &body, now: $1) }
    }
  }

  /// The answer of a Home Assistant without keys.
  static let noKey = #"{"success":false,"error":{"code":"encryption_not_available","message":""}}"#

  /// One with a registration without a key, whose answers a test can write, and which has proven
  /// its first cycle; where it asks for the zones, it is told these.
  static func proven(_ setup: Setup, zones: String? = nil) -> UplinkRig {
    var setup = setup
    setup.isRegistered = true
    setup.isPlain = true
    let rig = UplinkRig(setup)
    rig.firstCycle()
    rig.answer(400, noKey)
    if let zones {
      // The configuration comes first.
      rig.answer(200, "[]")
      rig.answer(200, zones)
    }
    rig.prove()
    return rig
  }

  /// Home Assistant takes the cycle under way.
  func prove() {
    let verdict = #"{"success":false,"error":{"code":"not_registered","message":""}}"#
    let key = Challenge(of: Self.nonce).key
    // More than a cycle has messages; what answers nothing is not heard.
    for _ in 0..<6 { answer(200, #"{"\#(key)":\#(verdict)}"#) }
  }

  static let accessToken = #"{"access_token":"access","token_type":"Bearer","expires_in":1800}"#
  static let registered =
    #"{"cloudhook_url":null,"remote_ui_url":null,"secret":"\#(String(repeating: "5", count: 64))","webhook_id":"made"}"#

  // MARK: The driver

  private func perform() {
    while let action = uplink.nextAction() { perform(action) }
  }

  private func perform(_ action: Uplink.Action) {
    switch action {
    case .disk(let action):
      spoolActions.append(action)
      let now = now
      uplink.spool.performed(now: now)
    case .sample: sampleCount += 1
    case .readClockState: uplink.clockStateRead(isSynchronized: isClockSynchronized)
    case .write(let write):
      guard isWritable else { return uplink.stateFailed(words: [UInt8]("full".utf8)) }
      switch write {
      case .registration(let registration): registrations.append(registration)
      case .rejection(let fingerprint, let isForGood):
        rejected.insert(fingerprint: fingerprint, isForGood: isForGood, now: now)
      case .acceptance(let fingerprint): _ = rejected.remove(fingerprint: fingerprint)
      case .keyless: break
      }
      uplink.stateWritten()
    case .readRejectedTokens:
      uplink.rejectedTokensRead(isWritable ? rejected : nil, words: [UInt8]("full".utf8))
    case .readTokenFile: uplink.tokenFileRead(tokenFile)
    case .keepCommandIDs:
      keptIDs.append((uplink.commandIDs, orders.count))
      uplink.commandIDsKept(failure: isWritable ? nil : [UInt8]("full".utf8))
    case .keepHours:
      keptHours.append(uplink.waitingHours)
      uplink.hoursKept(nil)
    case .send(let call, let ifWritable):
      guard canMake(call.channel, ifWritable) else { return }
      if case .message = call { write() }
      calls.append(call)
    case .cancel(let channel): cancelled.append(channel)
    case .setPace(let pace): paces.append(pace)
    case .perform(let order, let call):
      orders.append(order)
      uplink.performed(order, for: call, boardProblem)
    case .reboot: rebootCount += 1
    case .leaveConnection: leftConnectionCount += 1
    case .post(let ifWritable):
      guard canMake(.webhook, ifWritable) else { return }
      write()
      postCount += 1
    case .ask, .openPushChannel: break
    case .connectWebSocket: connectCount += 1
    case .checkWebSocket: webSocketCheckCount += 1
    case .setWebSocketOnBattery(let isOnBattery): isWebSocketOnBattery = isOnBattery
    case .setWebSocketAllowed(let isAllowed): isWebSocketAllowed = isAllowed
    case .giveTokenToWebSocket(let result): tokensForWebSocket.append(result)
    case .tell(let event): tell(event)
    }
  }

  private func canMake(_ channel: Uplink.Channel, _ ifWritable: Bool) -> Bool {
    guard ifWritable else { return true }
    isWritable
      ? uplink.stateWritten() : uplink.callNotMade(channel, words: [UInt8]("full".utf8))
    return isWritable
  }

  private func write() {
    var request = ByteBuffer(capacity: 128 * 1024)
    uplink.writeMessage(nonce: Self.nonce, into: &request)
    messages.append(String(decoding: [UInt8](request.bytes), as: UTF8.self))
  }

  private func tell(_ event: Uplink.Event) {
    switch event {
    case .notRegistered(let problem): problems.append(problem)
    case .delivery(let event): deliveryEvents.append(event)
    case .stateFailed: stateFailures += 1
    case .command(let result): results.append(result)
    case .notified(let notification): notifications.append(notification)
    case .push(let event): pushEvents.append(event)
    default: break
    }
  }
}

extension Uplink.Settings.WebSocket {
  static let messages = Self(carriesMessages: true, takesNotifications: false)
  static let notifications = Self(carriesMessages: false, takesNotifications: true)
}
