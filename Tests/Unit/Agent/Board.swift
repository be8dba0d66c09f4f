import Foundation
import PracticeHome
import TestRun
import Testing

/// A board for one story: a configuration, a token, the files of a kernel and a state directory, in
/// a folder that goes with it. It outlives the agents that run on it.
final class Board {
  /// A supply without a value, the last one to be asked in a cycle. It leaves or comes back
  /// between two cycles, so that a story knows when the agent has read what was written before; see
  /// `RunningAgent.hasReadEverything`.
  static let mark = "MARK"

  let folder = TestRun.newPlace()
  /// The home that it reports to, which lives as long as the board and its agents.
  var home: PracticeServer?
  /// What no output may hold.
  private var secrets: [String] = []

  /// - Parameters:
  ///   - url: the address of Home Assistant.
  ///   - token: what the token file holds; nil for none.
  ///   - isTokenFileNamed: whether the configuration knows of that file.
  ///   - battery: the setting of that name.
  ///   - settings: more of the configuration.
  /// - Throws: what the file system says.
  init(
    reportingTo url: String, token: String?, isTokenFileNamed: Bool = true,
    battery: String = "[BAT7, \(mark)]",
    settings: String = ""
  ) throws {
    try plugIn(Self.mark, ["type": "Mains"])
    try plugIn("BAT7", ["type": "Battery", "capacity": "83"])
    if let token { try write(token: token) }
    let tokenFile = isTokenFileNamed ? ", token_file: \(path("token"))" : ""
    let lines = [
      "every: 5s", "state_directory: \(state.path)",
      "home_assistant: { url: \"\(url)\"\(tokenFile) }", "device: { name: Boat }",
      "host: { proc: /proc, sys: \(path("sys")) }", "system: off", "battery: \(battery)",
    ]
    try write((lines + [settings, ""]).joined(separator: "\n"), to: "homeward.yaml")
  }

  /// A board that knows the address and the token of `home`.
  convenience init(
    reportingTo home: PracticeServer, battery: String = "[BAT7, \(mark)]", settings: String = ""
  ) throws {
    try self.init(
      reportingTo: home.url, token: home.token + "\n", battery: battery, settings: settings)
    self.home = home
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var state: URL { folder.appending(path: "state") }
  var configuration: String { path("homeward.yaml") }
  var registration: URL { state.appending(path: "registration.json") }
  var credential: URL { state.appending(path: "credential.json") }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  // MARK: Supplies

  private static let supplies = "sys/class/power_supply"
  /// Every text of a supply is padded to this, so that changing one is a single write.
  private static let supplyTextByteCount = 16

  private static func padded(_ text: String) -> String {
    text.padding(toLength: supplyTextByteCount, withPad: "\n", startingAt: 0)
  }

  /// Makes a supply with these files, all at once.
  func plugIn(_ supply: String, _ files: [String: String]) throws {
    for (name, text) in files { try write(Self.padded(text), to: "unplugged/\(supply)/\(name)") }
    try plugIn(supply)
  }

  /// Brings a supply back as it was.
  func plugIn(_ supply: String) throws {
    try makeFolder(Self.supplies)
    try move("unplugged/\(supply)", to: "\(Self.supplies)/\(supply)")
  }

  func unplug(_ supply: String) throws {
    try move("\(Self.supplies)/\(supply)", to: "unplugged/\(supply)")
  }

  /// Changes what a file of a supply says, for those too who hold it open.
  func set(_ attribute: String, of supply: String, to text: String) throws {
    let file = folder.appending(path: "\(Self.supplies)/\(supply)/\(attribute)")
    let handle = try FileHandle(forUpdating: file)
    defer { try? handle.close() }
    try handle.write(contentsOf: Data(Self.padded(text).utf8))
  }

  // MARK: Files

  func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

  func write(_ bytes: Data, to name: String) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: file, options: .atomic)
  }

  func setPermissions(_ mode: Int, of name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
  }

  func permissions(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      at: folder.appending(path: name), withIntermediateDirectories: true)
  }

  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(at: folder.appending(path: name))
  }

  func write(token: String) throws {
    try write(token, to: "token")
    try setPermissions(0o600, of: "token")
    keepSecret(token.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Changes the charge of the battery, in percent.
  func charge(_ percent: Int) throws { try set("capacity", of: "BAT7", to: "\(percent)") }

  /// Lets nothing new be kept in the state directory, as a full or read-only disk does, also where
  /// root runs the tests.
  func blockWriting() throws { try makeFolder("state/probe") }

  func unblockWriting() throws { try remove("state/probe") }

  // MARK: Its configuration

  func configurationText() throws -> String {
    try String(contentsOfFile: configuration, encoding: .utf8)
  }

  /// Changes the text of the configuration.
  func configure(_ old: String, _ new: String) throws {
    let text = try configurationText()
    try #require(text.contains(old))
    try write(text.replacing(old, with: new), to: "homeward.yaml")
  }

  // MARK: Secrets

  func keepSecret(_ text: String) { if !text.isEmpty { secrets.append(text) } }

  /// Fails where a line holds a password, a token, a webhook id, a secret or a position.
  func expectNothingSecret(in lines: [String]) {
    for secret in secrets + keptSecrets {
      for line in lines where line.contains(secret) {
        Issue.record("a secret of \(secret.count) characters was written: \(line)")
      }
    }
  }

  /// What is kept now stays secret after it was removed.
  func keepKeptSecrets() { secrets += keptSecrets }

  /// What the agent keeps in its state directory.
  private var keptSecrets: [String] {
    struct Kept: Decodable {
      let webhook_id: String?
      let secret: String?
      let token: String?
    }
    return [registration, credential].flatMap { file -> [String] in
      guard let bytes = try? Data(contentsOf: file),
        let kept = try? JSONDecoder().decode(Kept.self, from: bytes)
      else { return [] }
      return [kept.webhook_id, kept.secret, kept.token].compactMap { $0 }
    }
  }
}

/// A practice home with a token that nothing else in the world holds.
func practiceHome() throws -> PracticeServer {
  try PracticeServer(port: reservedPort(), token: "token-\(UUID().uuidString)")
}

/// A home, and a board that knows its address and its token.
func homeAndBoard(
  battery: String = "[BAT7, \(Board.mark)]", settings: String = ""
) throws -> (PracticeServer, Board) {
  let home = try practiceHome()
  return (home, try Board(reportingTo: home, battery: battery, settings: settings))
}

/// A home, and a board that was paired with it.
func pairedHomeAndBoard() async throws -> (PracticeServer, Board) {
  let home = try practiceHome()
  return (home, try await Board.pairedByToken(with: home))
}

/// A home, a board that knows it, and the agent of that board, whose first data is proven.
func provenAgent(
  battery: String = "[BAT7, \(Board.mark)]", settings: String = "",
  environment: [String: String] = [:]
) async throws -> (PracticeServer, Board, RunningAgent) {
  let (home, board) = try homeAndBoard(battery: battery, settings: settings)
  return (home, board, try await RunningAgent.proven(on: board, environment: environment))
}

// MARK: What a home shows of it

/// What a home shows of the battery of a `Board`.
func shownCharge(in home: PracticeServer) -> String? {
  home.state(of: "sensor.boat_bat7_capacity")?.state
}

/// Where a home shows the tracker of a `Board`.
func shownLatitude(in home: PracticeServer) -> Double? {
  home.state(of: "device_tracker.boat")?.attributes["latitude"]?.number
}

/// A number that a home got in an event.
struct HistoricReading {
  let time: Double
  let value: String
}

/// The numbers of a sensor that a home got as history, in their order.
func history(of sensor: String, in home: PracticeServer) -> [HistoricReading] {
  home.journal.flatMap { entry -> [HistoricReading] in
    guard case .eventFired("homeward_history", let data) = entry.event else { return [] }
    return (data["readings"]?.array ?? []).compactMap { reading in
      guard case .integer(let index)? = reading[1],
        data["sensors"]?[Int(index)]?.string?.contains(sensor) == true
      else { return nil }
      let value = if case .integer(let number)? = reading[2] { "\(number)" } else { "no integer" }
      return HistoricReading(time: reading[0]?.number ?? .nan, value: value)
    }
  }
}
