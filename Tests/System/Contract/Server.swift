import Foundation
import FoundationNetworking
import Testing

/// What Homeward relies on Home Assistant to do, one expectation per behaviour.
///
/// The same expectations run against `practice-home` and against a real Home Assistant, so what
/// the fast tests are told is what the world does. Nothing here uses Homeward's own protocol code:
/// the oracle must not share a mistake with what it judges.
///
/// The suite needs a server. `Tests/run contract` starts them, and names each one in
/// `HOMEWARD_CONTRACT_URL`, `HOMEWARD_CONTRACT_TOKEN`, `HOMEWARD_CONTRACT_LOGIN` and
/// `HOMEWARD_CONTRACT_SERVER`; without these every expectation is reported as skipped.
@Suite(
  .enabled(if: Server.isNamed, "run `Tests/run contract`: it starts the servers"), .fewAtATime)
enum Contract {}

/// The server under test: its REST interface, which also is how "stored or not" is decided.
struct Server: Sendable {
  let name: String
  let url: URL
  let token: String

  /// How long Home Assistant may take to do what it has already answered, such as adding an entity.
  static let settlingTimeMax = Duration.seconds(30)

  private static let environment = ProcessInfo.processInfo.environment

  /// Whether a server is named. One that is named badly fails the expectations, not skips them.
  static let isNamed = environment["HOMEWARD_CONTRACT_URL"] != nil

  private static let underTest: Server? = {
    guard let url = environment["HOMEWARD_CONTRACT_URL"].flatMap(URL.init(string:)),
      let token = environment["HOMEWARD_CONTRACT_TOKEN"]
    else { return nil }
    let name = environment["HOMEWARD_CONTRACT_SERVER"] ?? url.absoluteString
    print("contract: the server is \(name)")
    return Server(name: name, url: url, token: token)
  }()

  static func required() throws -> Server {
    try #require(underTest, "HOMEWARD_CONTRACT_URL and HOMEWARD_CONTRACT_TOKEN name no server")
  }

  func post(_ path: String, _ body: String, token: String? = nil) async throws -> Response {
    try await request("POST", path, Data(body.utf8), token: token)
  }

  /// Sends fields as a browser's form does.
  func post(_ path: String, form fields: [String: String]) async throws -> Response {
    let body = fields.map { "\($0)=\(Self.percentEncoded($1))" }.joined(separator: "&")
    let type = "application/x-www-form-urlencoded"
    return try await request("POST", path, Data(body.utf8), type: type)
  }

  private static func percentEncoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  func request(
    _ method: String, _ path: String, _ body: Data? = nil, type: String = "application/json",
    token: String? = nil
  ) async throws -> Response {
    var request = URLRequest(url: try #require(URL(string: path, relativeTo: url)))
    request.httpMethod = method
    request.httpBody = body
    if body != nil { request.setValue(type, forHTTPHeaderField: "Content-Type") }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (content, answer) = try await URLSession.shared.data(for: request)
    let http = try #require(answer as? HTTPURLResponse)
    return Response(
      status: http.statusCode, contentType: http.value(forHTTPHeaderField: "Content-Type"),
      body: content)
  }
}

/// One HTTP answer, as it came.
struct Response: Equatable, Sendable {
  var status: Int
  var contentType: String?
  var body: Data

  var json: JSON? { JSON(parsing: body) }
}

// MARK: - Reading back

/// An entity's state as the server shows it to everybody.
struct Entity: Equatable, Sendable {
  let state: String
  let attributes: JSON
  let lastChanged: String
  let lastUpdated: String

  init?(_ json: JSON) {
    guard case .string(let state) = json["state"],
      case .string(let lastChanged) = json["last_changed"],
      case .string(let lastUpdated) = json["last_updated"]
    else { return nil }
    self.state = state
    self.attributes = json["attributes"]
    self.lastChanged = lastChanged
    self.lastUpdated = lastUpdated
  }
}

extension Server {
  /// A value once the condition holds, or as it still is when the time has passed.
  static func settled<Value>(
    within timeout: Duration = settlingTimeMax, pause: Duration = .milliseconds(20),
    until condition: (Value) -> Bool, _ read: () async throws -> Value
  ) async throws -> Value {
    let deadline = ContinuousClock.now + timeout
    while true {
      let value = try await read()
      if condition(value) || ContinuousClock.now >= deadline { return value }
      try await Task.sleep(for: pause)
    }
  }

  /// The entity as it is now, or nil when there is none.
  func entity(_ id: String) async throws -> Entity? {
    let response = try await request("GET", "/api/states/\(id)", token: token)
    if response.status == 404 { return nil }
    let json = try #require(response.json, "\(id): \(response)")
    let entity: Entity = try #require(Entity(json), "\(id): \(json)")
    return entity
  }

  /// The entity once the condition holds, or as it still is when the settling time has passed.
  func entity(_ id: String, once condition: (Entity?) -> Bool) async throws -> Entity? {
    try await Self.settled(until: condition) { try await entity(id) }
  }

  /// The first entity of this kind for which the condition holds, as soon as there is one.
  func entity(
    withPrefix prefix: String, where condition: (Entity) -> Bool
  ) async throws -> Entity? {
    try await Self.settled(until: { $0 != nil }) {
      let states = try await request("GET", "/api/states", token: token).json?.elements ?? []
      return states.filter { $0["entity_id"].text?.hasPrefix(prefix) == true }
        .compactMap(Entity.init).first(where: condition)
    }
  }

  /// The entity as soon as there is one.
  func existing(_ id: String) async throws -> Entity {
    try #require(try await entity(id) { $0 != nil }, "\(id) never came to exist")
  }

  /// The release that the server claims to be. One that does not say is held to 2025.4.
  func version() async throws -> Version {
    let config = try await request("GET", "/api/config", token: token)
    guard case .string(let text) = config.json?["version"] else { return Version(2025, 4) }
    return try #require(Version(text), "the server's version is \(text)")
  }
}

/// A release of Home Assistant: the year and the month are what behaviour depends on.
struct Version: Comparable {
  let year: Int
  let month: Int

  /// From here on locations are validated, and an empty answer has no content type. Read and
  /// measured: 2024.6 is before the change, 2024.8 after it.
  static let validatesLocations = Version(2024, 8)

  /// From here on `get_config` tells a device its own id. 2024.3 does not, 2025.4 does; what lies
  /// between was not measured.
  static let namesTheDevice = Version(2025, 4)

  /// From here on an import of statistics says which kind of mean it has, and the kind of its unit.
  static let knowsKindsOfMeans = Version(2025, 11)

  init(_ year: Int, _ month: Int) { (self.year, self.month) = (year, month) }

  init?(_ text: String) {
    let parts = text.split(separator: ".")
    guard parts.count >= 2, let year = Int(parts[0]), let month = Int(parts[1]) else { return nil }
    self.init(year, month)
  }

  static func < (left: Version, right: Version) -> Bool {
    (left.year, left.month) < (right.year, right.month)
  }
}

/// Lets a few expectations run at a time. All at once, each would wait for all others between one
/// step and the next, and on a busy machine longer than is ever allowed.
struct Turnstile: SuiteTrait, TestTrait, TestScoping {
  private static let gate = Gate(places: 8)

  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Self.gate.enter()
    do { try await function() } catch {
      await Self.gate.leave()
      throw error
    }
    await Self.gate.leave()
  }

  private actor Gate {
    private var places: Int
    private var queue: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { self.places = places }

    func enter() async {
      if places > 0 {
        places -= 1
      } else {
        await withCheckedContinuation { queue.append($0) }
      }
    }

    func leave() {
      if queue.isEmpty {
        places += 1
      } else {
        queue.removeFirst().resume()
      }
    }
  }
}

extension Trait where Self == Turnstile {
  static var fewAtATime: Turnstile { Turnstile() }
}
