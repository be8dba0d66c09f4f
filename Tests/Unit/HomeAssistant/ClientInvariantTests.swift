import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant

/// The invariants that the session promises, in a world that does what it likes.
@Suite struct ClientInvariantTests {
  @Test func theInvariantsHoldWhateverHappens() throws {
    for seed in UInt64(0)..<400 {
      let world = World(seed: seed)
      for step in 0..<300 {
        world.step()
        try #require(world.broken == nil, "seed \(seed), step \(step)")
      }
      world.reachTheEnd()
      try #require(world.broken == nil, "seed \(seed), at the end")
    }
  }
}

/// A random life of a client, with a note of what it promised.
private final class World {
  private enum Wish {
    case open
    case cancelled
    case ended
  }

  private let driver = ScriptedDriver()
  private let client: Client
  private var random: SplitMix64
  private var wishes: [Wish] = []
  private var ids: [RequestID] = []
  private var singles: Set<Int> = []
  /// The commands that the server has on this connection, answered or not.
  private var commands: [(wireID: Int64, type: Text)] = []
  private var lastSingle = -1
  private var isReady = false
  private var isQuiet = false
  private(set) var broken: String?

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    var policy = SessionPolicy()
    policy.coalescesMessages = seed % 2 == 0
    policy.connectsAutomatically = seed % 5 != 0
    client = driver.makeClient(policy: policy, seed: seed)
  }

  private func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  func step() {
    switch below(19) {
    case 0: driver.advance(by: .milliseconds(below(70_000)))
    case 1: driver.advanceToDeadline()
    case 2: driver.sleep(for: .seconds(below(600)))
    case 3: connect()
    case 4: if below(4) == 0 { client.disconnect() }
    case 5: client.networkChanged()
    case 6: giveToken()
    case 7: socketTurns()
    case 8, 9: wish()
    case 10: cancel()
    case 11: resubscribe()
    case 12: driver.say(text: Array("{\"id\":1,\"type\":\"result\"".utf8.prefix(below(24))))
    case 13: driver.sayPart()
    default: serve()
    }
    look()
  }

  /// Server and network behave from now on, and nothing may be left over.
  func reachTheEnd() {
    isQuiet = true
    connect()
    look()
    for _ in 0..<8 where !isReady {
      if driver.socket == .opening { driver.openConnection() }
      driver.giveToken()
      say(["type": "auth_ok", "ha_version": "1"])
      if case .down = client.state { driver.advanceToDeadline() }
      look()
    }
    for _ in 0..<1000 where !commands.isEmpty {
      serve()
      look()
    }
    if case .ready = client.state {} else { broken = "there is no connection in the end" }
    for (index, wish) in wishes.enumerated() where singles.contains(index) && wish == .open {
      broken = "wish \(index) was never answered"
    }
    for id in ids { client.cancel(id) }
    look()
    let isEmpty =
      client.session.table.entries.isEmpty && client.handlers.isEmpty && client.calls.isEmpty
      && client.session.table.unsentCount == 0
    if !isEmpty { broken = "something is kept without a holder" }
    if client.session.unsubscribed.count > Session.unsubscribedMax { broken = "a list grows" }
  }

  // MARK: The program

  private func connect() {
    client.connect()
    look()
  }

  private func wish() {
    let index = wishes.count
    wishes.append(.open)
    // A handler may be called, and wish for more, before the name is known.
    ids.append(RequestID(number: 0))
    let payload: JSONObject = ["n": .id(index)]
    if below(3) == 0 {
      let request = RawSubscription("sub", payload, isResubscribed: below(3) > 0)
      let subscription = client.subscribe(
        request, onStart: { [unowned self] _ in told(index) },
        onEvent: { [unowned self] _ in told(index) })
      ids[index] = subscription.detach()
    } else {
      singles.insert(index)
      let retry = [Retry.never, .within(.seconds(below(100))), .always][below(3)]
      ids[index] = client.send(RawRequest("single", payload, retry: retry)) { [unowned self] _ in
        told(index)
        if wishes[index] == .ended { broken = "wish \(index) ended twice" }
        wishes[index] = .ended
      }
    }
  }

  /// A handler was called; it may do what every caller may.
  private func told(_ index: Int) {
    if wishes[index] == .cancelled { broken = "wish \(index) was cancelled" }
    guard !isQuiet else { return }
    switch below(12) {
    case 0: wish()
    case 1: cancel()
    case 2: resubscribe()
    case 3: client.disconnect()
    case 4: client.connect()
    case 5: client.networkChanged()
    default: break
    }
  }

  private func cancel() {
    guard !ids.isEmpty else { return }
    let index = below(ids.count)
    guard wishes[index] == .open, ids[index] != RequestID(number: 0) else { return }
    wishes[index] = .cancelled
    client.cancel(ids[index])
  }

  private func resubscribe() {
    guard !ids.isEmpty else { return }
    client.resubscribe(ids[below(ids.count)])
  }

  // MARK: The world

  private func giveToken() {
    switch below(12) {
    case 0: driver.giveToken(.rejected("no"))
    case 1, 2: driver.giveToken(.unavailable("not now"))
    default: driver.giveToken()
    }
  }

  private func socketTurns() {
    switch driver.socket {
    case .opening where below(3) > 0: driver.openConnection()
    case .opening, .open: driver.endConnection(.closed(code: nil))
    case .closed: break
    }
  }

  private func say(_ message: JSON) {
    guard driver.socket == .open else { return }
    driver.say(message)
  }

  private func serve() {
    guard isReady, !commands.isEmpty else {
      let isRefused = !isQuiet && below(10) == 0
      return say(
        isRefused
          ? ["type": "auth_invalid", "message": "no"] : ["type": "auth_ok", "ha_version": "1"])
    }
    say(.array((0...below(4)).map { _ in message() }))
  }

  /// Something about a command that the server knows, or has known.
  private func message() -> JSON {
    guard !commands.isEmpty else { return ["type": "event", "event": 1, "id": .id(below(500))] }
    let index = isQuiet ? 0 : below(commands.count)
    let command = commands[index]
    let id = JSON.number(JSONNumber(command.wireID))
    if !isQuiet, below(2) == 0 { return ["type": "event", "event": 1, "id": id] }
    if isQuiet || below(4) == 0 { commands.remove(at: index) }
    if command.type == "ping" { return ["id": id, "type": "pong"] }
    return ["id": id, "type": "result", "success": .boolean(isQuiet || below(4) > 0)]
  }

  // MARK: Looking

  /// What the client did since the last look. The numbers and the open socket are checked by the
  /// driver.
  private func look() {
    for deed in driver.deeds {
      if case .sentText(let message) = deed { noteCommands(message) }
    }
    driver.removeDeeds()
    if case .ready = client.state { isReady = true } else { isReady = false }
    if !isReady {
      commands = []
      lastSingle = -1
    }
    checkDeadline()
  }

  private func noteCommands(_ message: JSON) {
    let several: [JSON] = if case .array(let several) = message { several } else { [message] }
    for command in several {
      let type: Text = command.get("type", orOnFailure: "")
      if type == "single" { noteSingle(command.get("n", orOnFailure: 0)) }
      if type != "auth" { commands.append((command.get("id", orOnFailure: 0), type)) }
    }
  }

  private func noteSingle(_ number: Int) {
    if number <= lastSingle { broken = "\(number) was sent after \(lastSingle)" }
    lastSingle = number
  }

  private func checkDeadline() {
    switch client.state {
    case .down(.idle), .down(.rejected): break
    default: if client.deadline == nil { broken = "there is nothing to wait for" }
    }
  }
}
