import Foundation
import PracticeHome
import Testing

/// What is typed into `homeward pair`, `unpair` and `check`, and what becomes of it.
@Suite(.besideTheOthers) enum SetUp {}

extension SetUp {
  /// A board that a person pairs with Home Assistant.
  @Suite struct Pairing {}
}

extension Household {
  /// A household whose token and whose inhabitant's password nothing else in the world holds.
  static func locked(code: String? = nil) -> Household {
    var household = Household()
    household.token = "token-\(UUID().uuidString)"
    household.resident.userName = "Ann"
    household.resident.password = "pass \(UUID().uuidString)"
    household.resident.code = code
    return household
  }
}

/// A home of such a household.
func lockedHome(code: String? = nil) throws -> PracticeServer {
  try PracticeServer(port: reservedPort(), household: .locked(code: code))
}

/// Such a home, and a board that was not paired with it.
func unpairedHomeAndBoard() throws -> (PracticeServer, Board) {
  let home = try lockedHome()
  return (home, try Board(unpairedWith: home))
}

/// Such a home, and a board that was paired by a login.
func loggedInHomeAndBoard() async throws -> (PracticeServer, Board) {
  let home = try lockedHome()
  return (home, try await Board.loggedIn(to: home))
}

extension PracticeServer {
  var password: String { withHome { $0.household.resident.password } }

  /// How often this was refused.
  func refusals(_ refusal: Refusal) -> Int {
    journal.count { entry in
      if case .refused(let refused) = entry.event { refused.refusal == refusal } else { false }
    }
  }

  /// How often this happened.
  func occurrences(_ occurrence: Occurrence) -> Int {
    journal.count { $0.event == .occurred(occurrence) }
  }

  /// The trackers of the one who lives there.
  var trackers: [String] {
    state(of: "person.practice")?.attributes["device_trackers"]?.array?.compactMap(\.string) ?? []
  }
}

extension Board {
  /// A board without a token file, that is not paired yet.
  convenience init(unpairedWith home: PracticeServer) throws {
    try self.init(reportingTo: home.url, token: nil, isTokenFileNamed: false)
    self.home = home
    keepSecret(home.password)
    keepSecret(home.token)
  }

  /// `homeward pair`, with a person who types.
  func pair(_ arguments: String...) throws -> TypedCommand {
    try TypedCommand(on: self, ["pair", "--config", configuration] + arguments)
  }

  /// Pairs it with a token, without a person.
  func paired(with home: PracticeServer, _ arguments: String...) async throws
    -> RunningAgent.Ending
  {
    try await run("pair", "--token-file", "-", options: arguments, input: home.token + "\n")
  }

  /// Whether there are a registration and a credential that only their owner can read.
  var isPaired: Bool {
    [registration, credential].allSatisfy { file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      return attributes?[.posixPermissions] as? Int == 0o600
    }
  }

  /// Whether nothing of a pairing is kept.
  var isUnpaired: Bool {
    [registration, credential].allSatisfy { !FileManager.default.fileExists(atPath: $0.path) }
  }
}

extension TypedCommand {
  func logIn(to home: PracticeServer, password: String? = nil) async throws {
    try await asked("User name: ")
    type("Ann")
    try await asked("Password: ")
    await typeHidden(password ?? home.password)
  }
}
