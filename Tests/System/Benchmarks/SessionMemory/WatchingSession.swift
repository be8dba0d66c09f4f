import Bytes
import HomeAssistant
import HomeAssistantClient
import LinuxIO
import Transport

/// A client that watches `sensor.bench_0` and so on.
final class WatchingSession {
  private let loop: EventLoop
  private let driver: NetworkDriver
  private let client: Client
  private let entities: Int
  private let keepsStates: Bool
  private var store = EntityStore()
  private var isTold = false

  init?(
    to address: [UInt8], token: [UInt8], userAgent: [UInt8], entities: Int, keepsStates: Bool,
    loop: EventLoop
  ) {
    guard let credential = Credential(accessToken: token),
      let driver = NetworkDriver(
        address: address,
        tokens: AccessTokens(credential: credential, rejected: RejectedTokens(), seed: 1),
        settings: .system, loop: loop, userAgent: userAgent)
    else { return nil }
    self.loop = loop
    self.driver = driver
    self.entities = entities
    self.keepsStates = keepsStates
    client = driver.makeClient(seed: 1)
    watch()
  }

  /// Whether it was told what the entities are: the first event says all of it.
  var isComplete: Bool { isTold && (!keepsStates || store.count == entities) }

  func turn(until end: Instant?) throws(Errno) {
    try loop.turn(until: earliest(driver.deadline, end))
    driver.deadlineReached(now: driver.now)
  }

  private func watch() {
    let request = SubscribeEntities((0..<entities).compactMap(Self.id))
    // This lives as long as the process, and so does what refers to it.
    client.subscribe(
      request.command, request.payload,
      onStart: { [unowned(unsafe) self] _ in unsafe store.subscriptionStarted() },
      onEvent: { [unowned(unsafe) self] event in unsafe told(event) }
    ).detach()
  }

  private func told(_ event: Span<UInt8>) {
    isTold = true
    if keepsStates { _ = try? store.apply(event) }
  }

  private static func id(_ number: Int) -> EntityID? {
    var id = ByteBuffer(capacity: 32)
    id.append("sensor.bench_")
    id.append(decimal: number)
    return EntityID(Text(id.bytes))
  }
}

/// One call to Home Assistant's REST API, whose connection stays open.
final class Greeting {
  private let http: HTTPClient
  private(set) var isDone = false
  private(set) var hasSucceeded = false

  init?(from address: [UInt8], token: [UInt8], userAgent: [UInt8], loop: EventLoop) {
    guard let http = HTTPClient(loop: loop, requestByteCountMax: 1, userAgent: userAgent) else {
      return nil
    }
    self.http = http
    let endpoint = Endpoint(
      address: address, path: [UInt8]("/api/"), method: .get, bearerToken: token)
    http.send(to: endpoint, telling: self)
  }

  var deadline: Instant? { http.deadline }
  func deadlineReached(now: Instant) { http.deadlineReached(now: now) }
}

extension Greeting: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    isDone = true
    hasSucceeded = result == .answered(status: 200)
  }
}
