/// The practice home: what Home Assistant's `mobile_app` integration remembers and answers,
/// without a network, a clock or randomness of its own.
///
/// It is as strict and as silent as Home Assistant 2025.4.4. What it adds is a memory of why:
/// every message it drops is in the `journal` with its reason.
public struct Home: Sendable {
  public static let version = "2025.4.4"
  public static let defaultToken = "practice"
  /// Beyond this the older half of the journal is forgotten.
  var journalLengthMax = 20_000
  /// How long an entity takes to come back after it is enabled again.
  static let reloadDelay = Duration.seconds(30)
  static let webhookPrefix = "/api/webhook/"
  /// The longest type of an event that is fired.
  static let eventTypeLengthMax = 64

  public var household: Household
  let random: @Sendable (Int) -> [UInt8]
  var grants: Grants
  var logins: [Login] = []
  var door: Doorkeeper
  var zone = Zone()
  var person: Person
  var registrations: [Registration] = []
  /// Ids that answered once. Until a restart they are silent, then they are gone.
  var superseded: Set<String> = []
  var gone: Set<String> = []
  var states = States()
  /// The entity of a tracker stays the same for a device id, whatever happens to its name.
  var trackerIDs: [String: String] = [:]
  /// What entities left behind, by entity id.
  var remains: [String: Sensor.Remains] = [:]
  var statistics = Statistics()

  /// Open WebSockets, by a number that is used once.
  var sessions: [Int: Session] = [:]
  var sessionCount = 0
  var mail = Mail()
  /// Sessions that took lists of messages, and whose last messages are still here.
  var coalescingDepartures: Set<Int> = []
  /// The way of notifications, by webhook id.
  var channels: [String: PushChannel] = [:]
  var channelCount = 0
  /// Until when the home is not whole yet after a restart.
  var deafUntil: Moment?
  var silentUntil: Moment?

  /// How to misbehave from the next request on, or nil to behave.
  public var fault: Fault?
  /// The last answer to each type of message.
  var lastAnswers: [String: Response] = [:]
  /// What happened, oldest first.
  public private(set) var journal: [JournalEntry] = []
  public private(set) var counters = Counters()
  /// Entries ever made, those forgotten included.
  public private(set) var entryCount = 0

  /// - Parameters:
  ///   - household: who lives there, and the limits of the home.
  ///   - random: makes that many random bytes, for ids, secrets and nonces.
  public init(
    _ household: Household = Household(),
    random: @escaping @Sendable (Int) -> [UInt8] = systemRandom(byteCount:)
  ) {
    self.household = household
    self.random = random
    grants = Grants(token: household.token, random: random)
    door = Doorkeeper(threshold: household.failuresUntilBan)
    person = Person(household.resident)
  }

  /// Answers one request that arrived at `now`.
  public mutating func answer(_ request: Request, now: Moment) -> Response {
    catchUp(now)
    defer { settle(now) }
    if fault == .forget { forgetAll() }
    if let fault, let replacement = fault.replacement {
      refuse(.fault(fault), status: replacement.response().status, at: now)
      var response = replacement.response()
      if fault == .hang { response.delivery = .never }
      return response
    }
    return mutilate(route(request, now: now))
  }

  /// Does what is due by now without a request.
  mutating func catchUp(_ now: Moment) {
    furnish(now)
    bringBackEntities(now)
    expireChannels(now)
  }

  private mutating func route(_ request: Request, now: Moment) -> Response {
    do throws(Refusal) {
      if door.isShut { throw .login(.banned) }
      let path = request.path
      if path == Self.socketPath { return try handshake(request) }
      if path.hasPrefix(Self.webhookPrefix) {
        if isDeaf(now) { throw .notLoaded }
        let id = String(path.dropFirst(Self.webhookPrefix.count))
        // The path may hold an id, which no line is to show.
        guard !id.isEmpty, !id.contains("/") else {
          throw .notFound(path: Self.webhookPrefix + (id.isEmpty ? "" : "<id>/"))
        }
        guard ["GET", "HEAD", "POST", "PUT"].contains(request.method) else {
          throw .methodNotAllowed(request.method)
        }
        return webhook(id, request, now: now)
      }
      if path.hasPrefix("/auth/") { return try authorize(request, now: now).response() }
      return try restricted(request, now: now).response()
    } catch {
      let response = error.answer.response()
      refuse(error, status: response.status, at: now)
      return response
    }
  }

  private func handshake(_ request: Request) throws(Refusal) -> Response {
    if fault == .noWebSocket { throw .fault(.noWebSocket) }
    guard request.method == "GET" else { throw .methodNotAllowed(request.method) }
    let accept = try Handshake.accept(request)
    return Response(status: 101, contentType: nil, body: [], acceptedSocket: accept)
  }

  private func mutilate(_ response: Response) -> Response {
    var response = response
    if response.acceptedSocket != nil { return response }
    switch fault {
    case .slow(let delay): response.delivery = .after(delay)
    case .breakOff:
      response.delivery = .half
      // There must be a middle to break off in.
      if response.body.isEmpty { response.body = Array("{}".utf8) }
    case .huge:
      response.body = Array("{\"padding\":\"".utf8)
      response.body += [UInt8](repeating: UInt8(ascii: "x"), count: 1_500_000)
      response.body += Array("\"}".utf8)
      response.contentType = "application/json"
    default: break
    }
    return response
  }
}

// MARK: The journal

extension Home {
  mutating func record(
    _ event: Event, device: String?, deviceID: String? = nil, sealed: Bool?, at now: Moment
  ) {
    counters.count(event)
    entryCount += 1
    if journal.count >= journalLengthMax { journal.removeFirst(journal.count / 2) }
    journal.append(
      JournalEntry(time: now, device: device, deviceID: deviceID, sealed: sealed, event: event))
  }

  mutating func countMessage(sealed: Bool) {
    if sealed { counters.sealed += 1 } else { counters.plain += 1 }
  }

  mutating func note(_ event: Event, at now: Moment) {
    record(event, device: nil, sealed: nil, at: now)
  }

  mutating func note(
    _ occurrence: Occurrence, device: String? = nil, deviceID: String? = nil, at now: Moment
  ) {
    record(.occurred(occurrence), device: device, deviceID: deviceID, sealed: nil, at: now)
  }

  mutating func refuse(_ refusal: Refusal, status: Int, at now: Moment) {
    let refused = Refused(refusal: refusal, type: nil, status: status, content: nil)
    record(.refused(refused), device: nil, sealed: nil, at: now)
  }
}
