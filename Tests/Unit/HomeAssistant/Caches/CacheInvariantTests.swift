import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant
@testable import HomeAssistantClient

/// What a cache promises, over a connection that does what it likes: in the end it has what the
/// server has.
@Suite struct CacheInvariantTests {
  @Test func theCacheIsInTheEndWhatTheServerIs() {
    for seed in UInt64(0)..<400 {
      let world = World(seed: seed)
      for _ in 0..<200 { world.step() }
      world.reachTheEnd()
      #expect(world.cache.value == world.words, "seed \(seed)")
      #expect(world.told == world.words, "seed \(seed)")
    }
  }
}

/// A server with words that change, and a cache of them.
private final class World {
  private let rig: CacheRig
  let cache: Cache<[Text]>
  private(set) var words: [Text] = ["first"]
  private(set) var told: [Text]?
  private var random: SplitMix64
  private var observations: [Token] = []
  /// What the client sent and the server has not seen yet.
  private var requests: [(id: Int64, type: Text)] = []
  /// What the server sent and the client has not seen yet.
  private var replies: [JSON] = []
  private var subscriptions: [(id: Int64, type: Text)] = []
  /// The number under which the client is told what the server has loaded.
  private var watch: Int64?
  private var lastWord = 0
  private var isQuiet = false

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    rig = CacheRig()
    let retentions: [CacheRetention] = [
      .kept, .forgotten(after: .zero), .forgotten(after: .seconds(5)),
    ]
    cache = Cache(
      rig.rig.client, populatedBy: CachePopulation(GetWords()),
      updatedBy: [CacheRig.added, CacheRig.moved],
      settlingTime: seed % 2 == 0 ? .zero : .milliseconds(500),
      retention: retentions[Int(seed % 3)])
  }

  private func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  func step() {
    switch below(16) {
    case 0: rig.driver.advance(by: .milliseconds(below(20_000)))
    case 1: rig.driver.advanceToDeadline()
    case 2: observe()
    case 3: if !observations.isEmpty { observations.remove(at: below(observations.count)).end() }
    case 4: if below(4) == 0 { turnSocket() }
    case 5: rig.rig.client.networkChanged()
    case 6: add()
    case 7: if below(3) == 0 { move() }
    case 8, 9, 10, 11: handle()
    default: deliver()
    }
    look()
  }

  func reachTheEnd() {
    isQuiet = true
    observe()
    // What was refused is there now.
    watch.map { rig.driver.tell(nil, of: $0) }
    for _ in 0..<200 {
      if rig.driver.socket != .open { turnSocket() }
      look()
      while !requests.isEmpty || !replies.isEmpty {
        handle()
        deliver()
        look()
      }
      rig.driver.advance(by: .seconds(2))
      look()
    }
  }

  private func observe() {
    observations.append(Token(cache.observe { [unowned self] in told = $0 }))
  }

  private func turnSocket() {
    forgetConnection()
    switch rig.driver.socket {
    case .closed: rig.rig.client.connect()
    case .opening:
      rig.driver.acceptConnection()
    case .open: rig.driver.endConnection()
    }
  }

  // MARK: The server

  private func add() {
    lastWord += 1
    let word = Text("\(lastWord)")
    words.append(word)
    tell("added", .text(word))
  }

  private func move() {
    words = Array(words.reversed().prefix(5))
    tell("moved", nil)
  }

  private func tell(_ type: Text, _ event: JSON) {
    for subscription in subscriptions where subscription.type == type {
      let id = JSON.number(JSONNumber(subscription.id))
      replies.append(["type": "event", "event": event, "id": id])
    }
  }

  /// Home Assistant handles one message after the other, and answers with what is so then.
  private func handle() {
    guard !requests.isEmpty else { return }
    let (id, type) = requests.removeFirst()
    let number = JSON.number(JSONNumber(id))
    if type == "ping" { return replies.append(["type": "pong", "id": number]) }
    guard isQuiet || below(5) > 0 else {
      return replies.append(["id": number, "type": "result", "success": false])
    }
    if type == "added" || type == "moved" { subscriptions.append((id, type)) }
    let result: JSON = type == "words" ? .array(words.map { .text($0) }) : .null
    replies.append(["id": number, "type": "result", "success": true, "result": result])
  }

  private func deliver() {
    guard !replies.isEmpty else { return }
    rig.driver.say(replies.removeFirst())
  }

  // MARK: Looking

  private func look() {
    for message in rig.driver.messages {
      // Several in one are the client's own, who watches what is loaded.
      if case .array(let several) = message {
        watch = several.first?.get("id", orOnFailure: nil)
      } else {
        note(message)
      }
    }
    rig.driver.removeDeeds()
    if rig.driver.socket != .open { forgetConnection() }
  }

  private func forgetConnection() {
    requests = []
    replies = []
    subscriptions = []
    watch = nil
  }

  private func note(_ message: JSON) {
    let type: Text = message.get("type", orOnFailure: "")
    let id: Int64 = message.get("id", orOnFailure: 0)
    if type == "unsubscribe_events" {
      let ended: Int64 = message.get("subscription", orOnFailure: 0)
      subscriptions.removeAll { $0.id == ended }
      requests.removeAll { $0.id == ended }
      return
    }
    if type == "auth" { return }
    requests.append((id, type))
  }
}
