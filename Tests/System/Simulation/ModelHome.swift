import Bytes
import Synchronization

@testable import PracticeHome

/// A request as it arrives: what stands behind the address of the home, and what came with it.
struct Letter {
  let path: String
  var token: [UInt8]?
  let body: [UInt8]
  /// Whether the body is a form; else it is JSON.
  var isForm = false

  /// Whether it is for the webhook, and everyone on the way can read it.
  var isReadableMessage: Bool {
    (path.isEmpty || path.hasPrefix(Home.webhookPrefix))
      && !String(decoding: body.prefix(64), as: UTF8.self).contains(#","encrypted":true,"#)
  }
}

/// What comes back. Nothing else of an answer is looked at.
struct Reply: Equatable {
  let status: Int
  let body: [UInt8]
}

/// A Home Assistant in virtual time.
///
/// It is the practice home, which the contract tests hold to a real one message by message; this
/// adds what happens to the machine it runs on, and to its owner's mind, and remembers what was
/// seen. Nothing of the code under test is in it.
final class ModelHome {
  /// What the world may do to it.
  enum Trouble: Equatable {
    /// It is shut down, and comes up in stages: nothing listens, then no path is there, then no
    /// webhook is known.
    case restart(down: Duration, deaf: Duration, silent: Duration)
    case registrationDeleted
    case keysChanged
    /// The token that is good so far is taken back, and there is another one.
    case tokenReplaced
    case sensorForgotten
    case sensorDisabled
    case sensorEnabled
  }

  // Over plain HTTP a token that was rejected is shown five times in the longest day, and a person
  // may write a second one.
  private static let failuresUntilBan = 12

  let records = HomeRecords()
  private var home: Home
  private let random: DrawnBytes
  private var downUntil = Moment(seconds: 0)
  private(set) var token: [UInt8] = []
  /// How often it was restarted: a connection does not outlive that.
  private(set) var restartCount = 0
  /// How often each wrong token came.
  private(set) var rejections: [[UInt8]: Int] = [:]

  init(seed: UInt64) {
    let random = DrawnBytes(seed: seed)
    self.random = random
    token = Self.makeToken(random)
    var household = Household()
    household.token = String(decoding: token, as: UTF8.self)
    household.failuresUntilBan = Self.failuresUntilBan
    home = Home(household) { random.draw($0) }
    // Every entry is read as soon as it is written.
    home.journalLengthMax = 256
  }

  private static func makeToken(_ random: DrawnBytes) -> [UInt8] {
    Array(random.draw(24).hexadecimal.utf8)
  }

  var isBanned: Bool { home.door.isShut }
  /// Whether the last registration has a key.
  var hasKey: Bool { home.registrations.last?.secret != nil }

  /// Nil where nothing listens.
  func answer(_ letter: Letter, at time: WallTime) -> Reply? {
    let now = Moment(time)
    guard now >= downUntil else { return nil }
    var headers: [(name: String, value: String)] = []
    if let token = letter.token {
      headers.append(
        (name: "Authorization", value: "Bearer " + String(decoding: token, as: UTF8.self)))
    }
    if letter.isForm {
      headers.append((name: "Content-Type", value: "application/x-www-form-urlencoded"))
    }
    let request = Request(
      method: "POST", path: path(of: letter), headers: headers, body: letter.body)
    let response = watching { $0.answer(request, now: now) }
    if response.status == 401, let token = letter.token { rejections[token, default: 0] += 1 }
    return Reply(status: response.status, body: response.body)
  }

  /// The cloud brings what comes to the address of the webhook to the webhook.
  private func path(of letter: Letter) -> String {
    guard letter.path.isEmpty else { return letter.path }
    return Home.webhookPrefix + (home.registrations.last?.webhookID ?? "deleted")
  }

  /// Lets something happen in the home, and puts on record what that was.
  private func watching<Result>(_ body: (inout Home) -> Result) -> Result {
    let before = home.entryCount
    let result = body(&home)
    for entry in home.journal.suffix(home.entryCount - before) { records.take(entry) }
    return result
  }

  // MARK: WebSockets

  /// The number of the session that a new WebSocket has; nil where nothing listens.
  func openSession(at time: WallTime) -> Int? {
    let now = Moment(time)
    guard now >= downUntil else { return nil }
    return watching { $0.openSession(now: now) }
  }

  func received(_ text: [UInt8], on session: Int, at time: WallTime) {
    let now = Moment(time)
    guard now >= downUntil else { return }
    watching {
      $0.heard(session, now: now)
      $0.received(text, on: session, now: now)
    }
  }

  /// The client answers a ping by itself.
  func heard(_ session: Int, at time: WallTime) { home.heard(session, now: Moment(time)) }

  func sessionEnded(_ session: Int, at time: WallTime) {
    watching { $0.sessionEnded(session, now: Moment(time)) }
  }

  /// What goes to its WebSockets now.
  func takeMail() -> [(session: Int, dispatch: Dispatch)] { home.takeMail() }

  /// When `advance` has something to do, in microseconds since 1970.
  var deadline: Int64? { home.deadline?.microseconds }

  func advance(at time: WallTime) { watching { $0.advance(now: Moment(time)) } }

  // MARK: Its owner

  /// A person logs in on the board; what is kept there of it.
  func login(clientID: String, at time: WallTime) -> String {
    home.grants.makeRefreshToken(for: clientID, now: Moment(time))
  }

  /// Whether it tells its addresses in the cloud.
  func setCloud(_ plan: DayPlan) {
    func text(_ link: Link) -> String { String(decoding: link.url, as: UTF8.self) }
    home.household.cloud = Cloud(
      cloudhook: plan.hasCloudhook ? text(.cloudhook) : nil,
      remoteUI: plan.hasRemoteUI ? text(.remoteUI) : nil)
  }

  /// Whether it is as old as Home Assistant was before it gave keys to new devices.
  func setKeys(areGiven: Bool) { home.household.givesKeysAtOnce = areGiven }

  /// The hours that it has of a sensor, in its long-term statistics.
  func hours(of uniqueID: String) -> [StatisticHour] {
    let ids = Set(
      home.registrations.flatMap(\.sensors).filter { $0.uniqueID == uniqueID }.map(\.entityID))
    return ids.sorted().flatMap {
      home.statistics[$0]?.hours(from: Moment(seconds: 0), to: nil) ?? []
    }
  }

  func suffer(_ trouble: Trouble, at time: WallTime) {
    let now = Moment(time)
    switch trouble {
    case .restart(let down, let deaf, let silent):
      downUntil = now + down
      restartCount += 1
      home.restart(now: downUntil, Startup(deaf: deaf, silent: silent))
    case .registrationDeleted: home.forgetAll()
    case .keysChanged: home.suffer(.changeKeys, now: now)
    case .tokenReplaced:
      token = Self.makeToken(random)
      home.grants = Grants(token: String(decoding: token, as: UTF8.self)) { [random] in
        random.draw($0)
      }
    case .sensorForgotten:
      guard let sensor = home.registrations.first?.sensors.first else { return }
      home.forget(sensor.entityID)
    case .sensorDisabled: switchFirstSensor(disabledBy: "user", now: now)
    case .sensorEnabled: switchFirstSensor(disabledBy: nil, now: now)
    }
  }

  private func switchFirstSensor(disabledBy somebody: String?, now: Moment) {
    guard let sensor = home.registrations.first?.sensors.first,
      sensor.isDisabled != (somebody != nil)
    else { return }
    home.disableSensor(0, of: 0, by: somebody, now: now)
  }

  /// What it shows of a sensor; nil where there is none, or none that is enabled.
  func shown(_ uniqueID: String) -> String? {
    guard let sensor = home.registrations.first?.sensors.first(where: { $0.uniqueID == uniqueID })
    else { return nil }
    return home.states[sensor.entityID]?.state
  }

  func isDisabled(_ uniqueID: String) -> Bool {
    home.registrations.first?.sensors.first { $0.uniqueID == uniqueID }?.isDisabled ?? false
  }
}

extension Moment {
  init(_ time: WallTime) { self.init(microseconds: time.nanoseconds / 1000) }
}

/// Bytes that look random and are the same for the same seed.
final class DrawnBytes: Sendable {
  private let state: Mutex<UInt64>

  init(seed: UInt64) { state = Mutex(seed) }

  func draw(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in
        // Knuth's MMIX; the upper bits are the good ones.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
    }
  }
}
