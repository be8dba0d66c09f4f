import Bytes
import Outbox

/// A way from the board to the home.
enum Link: Int, CaseIterable {
  /// Through the internet.
  case instance
  /// In the home network.
  case home
  /// The address of the webhook itself in the cloud.
  case cloudhook
  /// The address of the whole home in the cloud.
  case remoteUI

  /// What the configuration and Home Assistant call it.
  var url: [UInt8] {
    switch self {
    case .instance: [UInt8]("https://boat.example".utf8)
    case .home: [UInt8]("http://192.168.1.5:8123".utf8)
    case .cloudhook: [UInt8]("https://hooks.example/boat".utf8)
    case .remoteUI: [UInt8]("https://remote.example".utf8)
    }
  }

  init(_ route: Route) {
    self =
      switch route {
      case .home: .home
      case .instance: .instance
      case .cloudhook: .cloudhook
      case .remoteUI: .remoteUI
      }
  }
}

/// What it is like on a link.
enum Weather: Equatable {
  case fair
  /// Every connection is refused at once.
  case refused
  /// No peer answers, not even to refuse a connection.
  case dark
  /// Requests and answers get lost, come late and come twice.
  case lossy
  /// Everything arrives and takes its time.
  case slow
  /// A hotel's page stands in for everything.
  case portal
  /// The Home Assistant of another household has the address.
  case stranger
  /// A server answers everything as if it were well, and does nothing.
  case emptyObjects
  /// An on-path attacker keeps what Home Assistant answered, and gives it as the answer to what
  /// comes later.
  case replays
  /// A proxy is there, and nothing behind it.
  case badGateway
}

/// A request on its way.
struct Call {
  /// No two have the same.
  let number: Int
  /// Of which life of the agent; no other one waits for its answer.
  let life: Int
  let link: Link
  let letter: Letter
}

enum CallEnd: Equatable {
  case answered(Reply)
  case failed
}

/// How a request fares, decided when it is sent.
enum Fate {
  case ends(CallEnd, after: Duration)
  /// It does not arrive, and an old answer comes back.
  case isReplayed(after: Duration)
  /// It is handled so often, after the one time, and the last answer, if it is not lost, is there
  /// after the other.
  case arrives(copies: Int, after: Duration, isAnswered: Bool, returningAfter: Duration)
}

/// What is between the board and the home.
struct Network {
  /// As the agent's own HTTP has them.
  static let connectTimeout: Duration = .seconds(10)
  static let timeout: Duration = .seconds(30)

  private static let portalPage = Reply(
    status: 200, body: [UInt8]("<!DOCTYPE html><html><body>Please sign in.</body></html>".utf8))
  private static let emptyObject = Reply(status: 200, body: [UInt8]("{}".utf8))
  private static let gatewayPage = Reply(
    status: 502, body: [UInt8]("<html><head><title>502 Bad Gateway</title></head></html>".utf8))

  private var weathers = [Weather](repeating: .fair, count: Link.allCases.count)
  /// Goes up with each change: no connection outlives one.
  private(set) var changeCount = 0
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  subscript(link: Link) -> Weather { weathers[link.rawValue] }

  mutating func set(_ weather: Weather, on link: Link) {
    guard weathers[link.rawValue] != weather else { return }
    weathers[link.rawValue] = weather
    changeCount += 1
  }

  mutating func fate(on link: Link) -> Fate {
    let hop = Duration.milliseconds(Int64(5 + random.next() % 200))
    switch self[link] {
    case .fair, .stranger:
      return .arrives(copies: 1, after: hop, isAnswered: true, returningAfter: hop + hop)
    case .slow:
      let slowHop = Duration.milliseconds(Int64(1000 + random.next() % 13_000))
      return .arrives(
        copies: 1, after: slowHop, isAnswered: true, returningAfter: slowHop + slowHop)
    case .refused: return .ends(.failed, after: .milliseconds(1))
    case .dark: return .ends(.failed, after: Self.connectTimeout)
    case .portal: return .ends(.answered(Self.portalPage), after: hop + hop)
    case .replays: return .isReplayed(after: hop + hop)
    case .emptyObjects: return .ends(.answered(Self.emptyObject), after: hop + hop)
    case .badGateway: return .ends(.answered(Self.gatewayPage), after: hop + hop)
    case .lossy: return badLuck(hop)
    }
  }

  private mutating func badLuck(_ hop: Duration) -> Fate {
    let late = Duration.milliseconds(Int64(random.next() % 20_000))
    switch random.next() % 8 {
    case 0: return .ends(.failed, after: hop)
    case 1: return .ends(.failed, after: Self.timeout)
    // It arrives, and the agent does not hear of it: neither at once nor late.
    case 2: return .arrives(copies: 1, after: hop, isAnswered: false, returningAfter: hop + hop)
    case 3:
      return .arrives(copies: 1, after: late, isAnswered: false, returningAfter: Self.timeout)
    case 4: return .arrives(copies: 2, after: hop, isAnswered: true, returningAfter: hop + hop)
    case 5: return .arrives(copies: 1, after: late, isAnswered: true, returningAfter: late + hop)
    default:
      return .arrives(copies: 1, after: hop, isAnswered: true, returningAfter: hop + hop)
    }
  }
}

extension World {
  /// A connection is another one when what is on its way has changed, or the home was restarted.
  struct Connection: Equatable {
    let link: Link
    let networkChanges: Int
    let restarts: Int
  }
}
