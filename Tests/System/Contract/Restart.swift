import Foundation
import TestRun
import Testing

/// One restart of the server, and everything that was seen of it from outside.
///
/// It disturbs all others, so it has a run of its own; and it takes seconds, so there is one for
/// all expectations.
struct Restart: Sendable {
  static func story() async throws -> Restart { try await told.value }
  private static let told = Task { try await Restart() }

  /// How a webhook answered, in the classes that a client can tell apart.
  enum Sight: Equatable, Sendable {
    case alive
    case unreachable
    case notFound
    case nobody
    case other(Answer)
  }

  /// A device with a fix and sensors, and what it was before.
  let device: Device
  let position: Entity
  let soil: Entity
  /// A device that listens to notifications, and its socket.
  let recipient: Recipient
  let deleted: Device
  let superseded: Device
  let tokens: Tokens

  /// What the device saw while the server restarted, each class once until the next one.
  let sights: [Sight]
  let ending: WebSocket.Ending
  /// What the agent said: that it lost the connection, had its notifications again, and a proof.
  let agentEvents: [JSON]

  private init() async throws {
    let agent = try Agent(settings: "notifications: websocket")
    defer { agent.remove() }
    let work = try agent.start()
    try await work.event("notifications_open")
    try await work.event("proven")
    let device = try await Self.furnished()
    self.device = device
    position = try await device.position()
    soil = try await device.reading("soil")
    (recipient, _) = try await Recipient.listening()
    await recipient.sender.drop()
    deleted = try await Device.registered()
    _ = try await deleted.delete()
    superseded = try await Device.registered()
    _ = try await Device.registered(superseded.identity)
    tokens = try await User.owner().signedIn()

    let socket = recipient.socket
    async let seen = Self.sights(of: device)
    async let end = socket.end(within: Self.timeMax)
    // The first sight is one of a server that runs.
    try await Task.sleep(for: .milliseconds(200))
    try await Control.restart()
    sights = try await seen
    ending = try await end
    agentEvents = [
      try await work.event("websocket_failed"), try await work.event("notifications_open"),
      try await work.event("proven"),
    ]
    await work.stop()
  }

  private static func furnished() async throws -> Device {
    let device = try await Device.located()
    try await device.register(
      "soil", "sensor",
      #""state":12.5,"unit_of_measurement":"%","icon":"mdi:sprout","attributes":{"depth":3}"#)
    try await device.register("text", "sensor", #""state":"damp""#)
    try await device.register("silent", "sensor", #""state":"unavailable""#)
    try await device.register("bilge", "binary_sensor", #""state":true"#)
    try await device.register("hatch", "binary_sensor", #""state":null"#)
    _ = try await device.tryRegister("mast", "sensor", #""state":1,"disabled":true"#)
    return device
  }

  /// How long a restart may take.
  private static let timeMax = Duration.seconds(180)

  /// Looks until the server, which was gone, is back.
  private static func sights(of device: Device) async throws -> [Sight] {
    let deadline = ContinuousClock.now + timeMax
    var sights: [Sight] = []
    while ContinuousClock.now < deadline {
      let sight = await sight(of: device)
      if sights.last != sight { sights.append(sight) }
      if sights.count > 1 && sight == .alive { break }
      try await Task.sleep(for: .milliseconds(pause(after: sight)))
    }
    return sights
  }

  /// Home Assistant stops when it has nothing left to do, and starts with one thread: a client that
  /// asks all the time keeps it up, and down.
  private static func pause(after sight: Sight) -> Int {
    switch sight {
    case .alive, .nobody: 200
    case .unreachable: 5
    case .notFound, .other: 20
    }
  }

  private static func sight(of device: Device) async -> Sight {
    guard let answer = try? await device.prove() else { return .unreachable }
    return switch answer {
    case Device.proof: .alive
    case .nobody: .nobody
    case .other(let response) where response.status == 404: .notFound
    default: .other(answer)
    }
  }
}

/// What only the one who started the server can do to it.
///
/// `HOMEWARD_CONTRACT_CONTROL` is a command. It takes one word, and returns when that is done:
/// `restart` ends the server in an orderly way and starts it again with the same data on the same
/// port.
enum Control {
  private static let command = ProcessInfo.processInfo.environment["HOMEWARD_CONTRACT_CONTROL"]

  static let isNamed = command != nil

  static func restart() async throws { try await run("restart") }

  /// Restarts the server with another clock than ours.
  static func restart(with clock: LaterClock) async throws {
    try await run("restart", environment: clock.environment)
  }

  private static func run(_ word: String, environment: [String: String] = [:]) async throws {
    let command = try #require(command, "nothing controls the server")
    let status = try await ChildProcess(command, [word], environment: environment).ending()
    try #require(status == 0, "\(word) failed")
  }
}

/// A clock that is ahead of ours, for programs that are started: Tests/Support/Lab/later.c, which
/// stands before libc in them. The clock that only goes on stays the kernel's.
struct LaterClock {
  private static let library = Result { try compiledLibrary(of: "Lab/later.c") }

  let environment: [String: String]

  init(showing time: Date) throws {
    environment = [
      "LD_PRELOAD": try Self.library.get(),
      "HOMEWARD_SECONDS_AHEAD": "\(Int(time.timeIntervalSinceNow.rounded()))",
    ]
  }
}

/// A source of Tests/Support as a library that stands before libc.
func compiledLibrary(of source: String) throws -> String {
  let library = TestRun.newPlace().path
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Support/\(source)").standardized
  let headers = file.deletingLastPathComponent().appending(path: "include").path
  let arguments = ["-shared", "-fPIC", "-I", headers, "-o", library, file.path]
  try #require(try ChildProcess.run("cc", arguments, errors: .inherited) == 0)
  return library
}
