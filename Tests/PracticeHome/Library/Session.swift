/// One WebSocket as the home sees it.
struct Session: Sendable {
  enum Standing: Sendable, Equatable {
    /// Has not shown a token yet, and is not waited for longer than this.
    case stranger(until: Moment)
    case guest(credential: String)
  }

  /// What a client wants to hear of, by the id of the command that asked.
  enum Subscription: Sendable {
    /// Events of one type, or of all.
    case events(type: String?)
    /// Changes of these entities, or of all.
    case entities(Set<String>?)
    /// A template that is rendered anew when an entity changes, and what it was last.
    case template(RunningTemplate)
    /// The notifications of a registration.
    case channel(webhookID: String, serial: Int)
  }

  let id: Int
  var standing: Standing
  /// Ids of commands must rise.
  var lastID: Int128 = 0
  /// Whether messages that wait together go out together, as a list.
  var coalesces = false
  var subscriptions: [Int128: Subscription] = [:]
  /// When anything last came over it, if only a pong.
  var lastHeard: Moment
  var isPinged = false

  var isGuest: Bool {
    if case .guest = standing { true } else { false }
  }

  /// When something is to be done about it, if nothing comes.
  func deadline(_ pingInterval: Duration) -> Moment {
    let next = lastHeard + (isPinged ? pingInterval + pingInterval / 2 : pingInterval)
    guard case .stranger(let limit) = standing else { return next }
    return min(limit, next)
  }
}

/// What is to be done with a WebSocket, outside.
enum Dispatch: Sendable, Equatable {
  case message(JSON)
  case ping
  /// Say goodbye, and close.
  case close(CloseCode)
  /// Close without a word.
  case drop
}

/// What goes out over WebSockets, in order.
struct Mail: Sendable {
  private var items: [(session: Int, dispatch: Dispatch)] = []

  mutating func append(_ dispatch: Dispatch, to session: Int) {
    items.append((session, dispatch))
  }

  /// Everything that waits, and nothing is left. Messages to a session that can take it are
  /// brought together in lists.
  mutating func take(
    coalescing: (Int) -> Bool
  ) -> [(session: Int, dispatch: Dispatch)] {
    var taken: [(session: Int, dispatch: Dispatch)] = []
    var open: [Int: [JSON]] = [:]
    func close(_ session: Int) {
      guard let messages = open.removeValue(forKey: session), let first = messages.first else {
        return
      }
      taken.append((session, .message(messages.count == 1 ? first : .array(messages))))
    }
    for (session, dispatch) in items {
      if case .message(let message) = dispatch, coalescing(session) {
        open[session, default: []].append(message)
      } else {
        close(session)
        taken.append((session, dispatch))
      }
    }
    open.keys.sorted().forEach(close)
    items = []
    return taken
  }
}

// MARK: Coming and going

extension Home {
  static let socketPath = "/api/websocket"

  /// A WebSocket was opened: it is told to show a token.
  mutating func openSession(now: Moment) -> Int {
    sessionCount += 1
    let id = sessionCount
    sessions[id] = Session(
      id: id, standing: .stranger(until: now + household.authenticationLimit), lastHeard: now)
    mail.append(
      .message(["type": "auth_required", "ha_version": .string(Home.version)]),
      to: id)
    note(.socketOpened(id), at: now)
    return id
  }

  /// The client closed its WebSocket, or the network did.
  mutating func sessionEnded(_ id: Int, now: Moment) {
    guard let session = sessions.removeValue(forKey: id) else { return }
    for subscription in session.subscriptions.values { tearDown(subscription, now: now) }
    note(.socketClosed(id, byHome: false), at: now)
  }

  /// The client wants to close its WebSocket, and is answered in kind.
  mutating func said(goodbye id: Int, now: Moment) {
    guard sessions[id] != nil else { return }
    sessionEnded(id, now: now)
    mail.append(.close(.normal), to: id)
  }

  /// Closes a WebSocket from this side. What was written before still goes out.
  mutating func close(_ id: Int, _ dispatch: Dispatch = .close(.normal), now: Moment) {
    guard let session = sessions.removeValue(forKey: id) else { return }
    if session.coalesces { coalescingDepartures.insert(id) }
    for subscription in session.subscriptions.values { tearDown(subscription, now: now) }
    mail.append(dispatch, to: id)
    note(.socketClosed(id, byHome: true), at: now)
  }

  /// Closes a WebSocket whose client did what it may not.
  mutating func close(
    _ id: Int, because why: String, code: CloseCode = .normal, now: Moment
  ) {
    guard sessions[id] != nil else { return }
    record(
      .refused(Refused(refusal: .socket(why), type: nil, status: 200, content: nil)), device: nil,
      sealed: nil, at: now)
    close(id, .close(code), now: now)
  }

  /// Closes every WebSocket, as Home Assistant does when it stops.
  mutating func closeAllSessions(_ dispatch: Dispatch = .close(.normal), now: Moment) {
    for id in sessions.keys.sorted() { close(id, dispatch, now: now) }
  }

  /// Closes the WebSockets of a credential that was taken back.
  mutating func expel(_ credential: String, now: Moment) {
    for (id, session) in sessions.sorted(by: { $0.key < $1.key })
    where session.standing == .guest(credential: credential) {
      close(id, now: now)
    }
  }

  /// Something came over a WebSocket, whatever it was.
  mutating func heard(_ id: Int, now: Moment) {
    sessions[id]?.lastHeard = now
    sessions[id]?.isPinged = false
  }

  /// What is to be sent now, in order.
  mutating func takeMail() -> [(session: Int, dispatch: Dispatch)] {
    let taken = mail.take { [sessions, coalescingDepartures] id in
      sessions[id]?.coalesces ?? coalescingDepartures.contains(id)
    }
    coalescingDepartures = []
    return taken
  }
}

// MARK: Time

extension Home {
  /// When `advance(now:)` has something to do, if nothing happens before.
  var deadline: Moment? {
    let returns = registrations.flatMap { registration in
      registration.sensors.compactMap(\.returnsAt)
    }
    let silences = sessions.values.map { $0.deadline(household.pingInterval) }
    return (returns + silences + channelDeadlines).min()
  }

  /// Does what is due, when time alone passed.
  mutating func advance(now: Moment) {
    catchUp(now)
    expireChannels(now)
    for (id, session) in sessions.sorted(by: { $0.key < $1.key })
    where session.deadline(household.pingInterval) <= now {
      if case .stranger(let limit) = session.standing, limit <= now {
        close(id, because: "no auth message within the time for it", now: now)
      } else if session.isPinged {
        note(.socketSilent(id), at: now)
        close(id, .drop, now: now)
      } else {
        sessions[id]?.isPinged = true
        mail.append(.ping, to: id)
      }
    }
    settle(now)
  }
}
