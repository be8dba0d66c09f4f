import Bytes
import Outbox
import Sensing

/// A bad day: how the agent is configured, and everything that befalls it, drawn from a seed.
///
/// For most of it there are faults; then a person looks after everything, and some quiet hours are
/// left for the agent to bring home what it has kept. With short cycles the same faults come in
/// three hours rather than twenty.
struct DayPlan {
  /// When the person looks after everything.
  let repair: Duration
  var end: Duration { repair + .seconds(4 * 3600) }
  /// Nothing changes any more from here on.
  var calm: Duration { repair + .seconds(3 * 3600) }

  let every: Duration
  let sensorCount: Int
  let fixesPerHundred: UInt64
  let durability: Durability
  let spoolByteCountCap: Int
  let segmentByteCount: Int
  let historyBytesPerMinute: Int?
  /// Whether the board's clock goes on without power.
  let hasClock: Bool
  /// What of the configuration the uplink goes by.
  let settings: Uplink.Settings
  /// What the board logs in with.
  enum Login: Equatable {
    /// A long-lived token in a file that a person wrote.
    case file
    /// The refresh token that pairing left.
    case pairing
  }
  let login: Login
  let importsStatistics: Bool
  /// Whether Home Assistant gives a key with the registration.
  let givesKeysAtOnce: Bool
  /// Whether it tells its addresses in the cloud.
  let hasCloudhook: Bool
  let hasRemoteUI: Bool
  /// The router of the home.
  static let gateway = HardwareAddress([2, 0, 0, 0, 0, 1].span)
  var registersAgainAfter: Duration? { settings.server.registersAgainAfter }
  var knowsHome: Bool { settings.server.home != nil }
  let happenings: [(at: Duration, happening: World.Happening)]

  init(_ random: inout SplitMix64) {
    var draw = Draw(random)
    every = .seconds([20, 120, 300, 600, 900][draw.number(5)])
    repair = .seconds(every < .seconds(60) ? 3 * 3600 : 20 * 3600)
    draw.repair = repair
    sensorCount = 2 + draw.number(4)
    fixesPerHundred = [0, 10, 80][draw.number(3)]
    durability = [.batch, .batch, .batch, .reading, .memory][draw.number(5)]
    let isSpoolSmall = draw.is(1, of: 6)
    spoolByteCountCap = isSpoolSmall ? 5 * 4096 : Spool.byteCountCap
    segmentByteCount = isSpoolSmall ? 4096 : Spool.segmentByteCount
    historyBytesPerMinute = draw.is(1, of: 4) ? 20_000 : nil
    hasClock = draw.is(1, of: 2)
    let knowsHome = draw.is(1, of: 2)
    let registersAgainAfter: Duration? =
      draw.is(1, of: 2) ? .seconds(Int64(300 + draw.number(900))) : nil
    var happenings = Self.happenings(&draw, sensorCount: sensorCount, knowsHome: knowsHome)
    random = draw.random
    // It decided something once: with it a seed is the day that it was.
    _ = draw.number(3)
    Self.addRelapses(to: &happenings, &draw)
    Self.addReplays(to: &happenings, &draw)
    login = draw.is(1, of: 2) ? .pairing : .file
    givesKeysAtOnce = !draw.is(1, of: 8)
    hasCloudhook = draw.is(1, of: 3)
    hasRemoteUI = draw.is(1, of: 4)
    let hasWebSocket = draw.is(2, of: 3)
    importsStatistics = hasWebSocket && draw.is(1, of: 2)
    Self.addCloudWeather(to: &happenings, &draw)
    var settings = Uplink.Settings(
      .init(url: Link.instance.url), every: every, readsTokenFile: login == .file)
    settings.server.home =
      knowsHome
      ? .init(
        networks: HomeNetworks(gateways: [Self.gateway].compactMap { $0 }), url: Link.home.url)
      : nil
    settings.webSocket =
      hasWebSocket
      ? .init(carriesMessages: draw.is(1, of: 2), takesNotifications: draw.is(1, of: 2)) : nil
    settings.server.isPlainAllowed = !givesKeysAtOnce
    settings.server.isPlainAllowedAway = draw.is(1, of: 8)
    settings.server.registersAgainAfter = registersAgainAfter
    settings.uploadEvery = draw.is(1, of: 4) ? every * (2 + draw.number(5)) : nil
    self.settings = settings
    self.happenings = happenings
  }

  private static func addCloudWeather(
    to happenings: inout [(at: Duration, happening: World.Happening)], _ draw: inout Draw
  ) {
    for link in [Link.cloudhook, .remoteUI] {
      for _ in 0..<draw.number(4) {
        let (begin, end) = draw.episode(longest: 4 * 3600)
        guard end < draw.repair else { continue }
        happenings.append((begin, .weather(draw.weather(), link)))
        happenings.append((end, .weather(.fair, link)))
      }
    }
  }

  /// A link that is good again may get bad once more while what was kept comes over it.
  private static func addRelapses(
    to happenings: inout [(at: Duration, happening: World.Happening)], _ draw: inout Draw
  ) {
    for (moment, happening) in happenings {
      guard case .weather(.fair, let link) = happening, draw.is(1, of: 2) else { continue }
      let begin = moment + .milliseconds(Int64(draw.number(120_000)))
      let end = begin + .seconds(Int64(1 + draw.number(600)))
      guard end < draw.repair else { continue }
      happenings.append((begin, .weather(draw.weather(), link)))
      happenings.append((end, .weather(.fair, link)))
    }
  }

  /// An on-path attacker is there for a while, of every third day.
  private static func addReplays(
    to happenings: inout [(at: Duration, happening: World.Happening)], _ draw: inout Draw
  ) {
    guard draw.is(1, of: 3) else { return }
    for _ in 0...draw.number(3) {
      let link = Link.allCases[draw.number(2)]
      let (begin, end) = draw.episode(longest: 2 * 3600)
      guard end < draw.repair else { continue }
      happenings.append((begin, .weather(.replays, link)))
      happenings.append((end, .weather(.fair, link)))
    }
  }

  private static func happenings(
    _ draw: inout Draw, sensorCount: Int, knowsHome: Bool
  ) -> [(at: Duration, happening: World.Happening)] {
    var all: [(at: Duration, happening: World.Happening)] = []
    func add(_ happening: World.Happening, at moment: Duration) {
      if moment < draw.repair { all.append((moment, happening)) }
    }
    for _ in 0..<draw.number(8) {
      let link = Link.allCases[draw.number(2)]
      let (begin, end) = draw.episode(longest: 4 * 3600)
      add(.weather(draw.weather(), link), at: begin)
      add(.weather(.fair, link), at: end)
    }
    for _ in 0..<draw.number(4) { add(.powerGoes(steps: draw.number(40)), at: draw.moment()) }
    for _ in 0..<draw.number(3) { add(.killed(steps: draw.number(40)), at: draw.moment()) }
    for _ in 0..<draw.number(3) {
      let (begin, end) = draw.episode(longest: 2 * 3600)
      add(.disk([.full, .broken, .readOnly, .flaky][draw.number(4)]), at: begin)
      add(.disk(.healthy), at: end)
    }
    for _ in 0..<draw.number(3) {
      let (begin, end) = draw.episode(longest: 2 * 3600)
      add(.clockSet(wrongBy: .seconds(Int64(draw.number(200_000)) - 100_000)), at: begin)
      add(.clockSet(wrongBy: .zero), at: end)
    }
    for _ in 0..<draw.number(30) { add(.sensed(0), at: draw.moment()) }
    if knowsHome {
      for _ in 0..<draw.number(8) {
        add(.presence([.home, .away, .unknown][draw.number(3)]), at: draw.moment())
      }
    }
    for _ in 0..<draw.number(3) { add(.home(draw.restart()), at: draw.moment()) }
    if draw.is(1, of: 8) { add(.home(.registrationDeleted), at: draw.moment()) }
    if draw.is(1, of: 8) { add(.home(.keysChanged), at: draw.moment()) }
    if draw.is(1, of: 6) { add(.home(.sensorForgotten), at: draw.moment()) }
    if draw.is(1, of: 6) {
      let (begin, end) = draw.episode(longest: 6 * 3600)
      add(.home(.sensorDisabled), at: begin)
      add(.home(.sensorEnabled), at: end)
    }
    if draw.is(1, of: 4) {
      add(.home(.tokenReplaced), at: draw.moment())
      for _ in 0..<draw.number(3) {
        add(.tokenWritten(isGood: draw.is(1, of: 2)), at: draw.moment())
      }
    }
    return all
  }
}

/// Draws the parts of a day.
struct Draw {
  private(set) var random: SplitMix64
  /// Before which everything happens.
  var repair = Duration.zero

  init(_ random: SplitMix64) { self.random = random }

  mutating func number(_ end: Int) -> Int { Int(random.next() % UInt64(end)) }

  mutating func `is`(_ times: Int, of all: Int) -> Bool { number(all) < times }

  /// Before everything is repaired, and at the start more often than later.
  mutating func moment() -> Duration {
    let end = self.is(1, of: 6) ? 60 : Int(repair.components.seconds)
    return .milliseconds(Int64(number(end * 1000)))
  }

  mutating func episode(longest seconds: Int) -> (begin: Duration, end: Duration) {
    let begin = moment()
    return (begin, begin + .seconds(Int64(1 + number(self.is(1, of: 2) ? 300 : seconds))))
  }

  mutating func weather() -> Weather {
    [.refused, .dark, .lossy, .lossy, .slow, .portal, .stranger, .badGateway, .emptyObjects][
      number(9)]
  }

  mutating func restart() -> ModelHome.Trouble {
    .restart(
      down: .seconds(Int64(number(600))), deaf: .seconds(Int64(number(120))),
      silent: .seconds(Int64(number(500))))
  }
}
