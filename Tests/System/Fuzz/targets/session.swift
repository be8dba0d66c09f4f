import Bytes
import HomeAssistant
import HomeAssistantClient

/// Whatever a server may say in a whole session, over several connections: nothing of it is a trap,
/// every message of ours is JSON, and every request ends at most once, and at last.
///
/// The input is a list of events: a byte for its kind, two for a length (the lower one first), and
/// as many bytes. Frames are read as they are, or stand where a number and the beginning are ours,
/// so that the inputs get behind those.
func fuzz(_ input: Span<UInt8>) {
  let program = Program()
  program.driver.authenticate()
  var place = 0
  while input.count - place >= 3 {
    let kind = input[place]
    let count = min(Int(input[place + 1]) | Int(input[place + 2]) << 8, input.count - place - 3)
    program.happens(kind, [UInt8](input.extracting(place + 3..<place + 3 + count)))
    place += 3 + count
  }
  program.finish()
}

/// What carries a client that has no server.
private final class FuzzDriver: Driver {
  var now = Instant(nanoseconds: 1_000_000_000)
  var isOpening = false
  var isTokenWanted = false
  var isOpen = false
  var sentCount: UInt64 = 0
  unowned(unsafe) var client: Client?

  func openSocket() { isOpening = true }
  func closeSocket(code: UInt16) {
    isOpening = false
    isOpen = false
  }
  func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) {
    expect("a message goes out while the socket is open", isOpen)
    expect("a message is JSON", (try? JSON(parsing: message)) != nil)
    sentCount += 1
  }
  func fetchToken(_ reason: TokenReason) { isTokenWanted = true }
  func send(_ call: HTTPCall) {}
  func cancelHTTP(_ id: RequestID) {}

  /// Does what was asked for.
  func performActions() {
    if isTokenWanted {
      isTokenWanted = false
      unsafe client?.tokenFetched(.token([UInt8]("token")))
    }
    if isOpening {
      isOpening = false
      isOpen = true
      unsafe client?.socketOpened()
    }
  }

  func authenticate() {
    unsafe client?.connect()
    performActions()
    receive([UInt8](#"{"type":"auth_ok","ha_version":"2026.6.0"}"#))
  }

  func receive(_ text: [UInt8]) {
    guard isOpen else { return }
    unsafe client?.received(text.span)
  }
}

private final class Program {
  let driver = FuzzDriver()
  let client: Client
  let channel: PushChannel
  let caches: Caches
  /// How often each request has ended.
  var endings: [Int] = []

  init() {
    client = Client(driver: driver, seed: 1)
    unsafe driver.client = client
    channel = PushChannel(
      client: client, webhookID: [UInt8]("webhook"), onChange: { _ in }, onNotification: { _ in })
    caches = Caches(client)
    caches.states().observe { _, _ in }.detach()
    caches.config.observe { _ in }.detach()
    caches.services.observe { _ in }.detach()
    caches.areas.observe { _ in }.detach()
    caches.entityRegistry.observe { _ in }.detach()
    client.subscribe(RawSubscription("subscribe_events")) { _ in }.detach()
    client.subscribe(.events(.stateChanged)) { _ in }.detach()
    client.subscribe(RawSubscription("run", isResubscribed: false)) { _ in }.detach()
    request(.never)
    request(.within(.seconds(10)))
    request(.always)
  }

  private func request(_ retry: Retry) {
    let index = endings.count
    endings.append(0)
    client.send(RawRequest("ask", retry: retry)) { [unowned self] _ in
      endings[index] += 1
      expect("a request ends once", endings[index] == 1)
    }
  }

  func happens(_ kind: UInt8, _ bytes: [UInt8]) {
    let number = bytes.first ?? 0
    let rest = [UInt8](bytes.dropFirst())
    switch kind % 10 {
    case 0: driver.receive(bytes)
    case 1: driver.receive(message(number, #""type":"result","success":true,"result":"#, rest))
    case 2: driver.receive(message(number, #""type":"event","event":"#, rest))
    case 3: driver.receive(message(number, #""type":"result","success":false,"error":"#, rest))
    case 4: driver.receive(message(number, #""type":"pong","x":"#, rest))
    case 5: driver.receive([UInt8](#"{"type":"auth_ok","ha_version":"#) + bytes + [UInt8]("}"))
    case 6: pass(.seconds(Int64(number)))
    case 7:
      driver.isOpen = false
      client.socketClosed(.closed(code: 1006))
    case 8: if endings.count < 64 { request(number & 1 == 0 ? .never : .always) }
    default: client.receivedBinary()
    }
    driver.performActions()
  }

  private func message(_ id: UInt8, _ middle: StaticString, _ rest: [UInt8]) -> [UInt8] {
    var text = ByteBuffer(capacity: 64 + middle.utf8CodeUnitCount + rest.count)
    text.append("{\"id\":")
    text.append(decimal: Int64(id))
    text.append(",")
    text.append(middle)
    text.append(rest)
    text.append("}")
    return [UInt8](text.bytes)
  }

  private func pass(_ duration: Duration) {
    driver.now = driver.now + duration
    while let deadline = client.deadline, driver.now >= deadline {
      client.deadlineReached()
      driver.performActions()
      if deadline == client.deadline { break }
    }
    channel.deadlineReached(now: driver.now)
  }

  /// Without a connection nothing is waited for but what is asked again for ever.
  func finish() {
    client.disconnect()
    pass(.seconds(3600))
    expect("no request ends twice", endings.allSatisfy { $0 <= 1 })
    expect("what is never repeated has ended", endings[0] == 1 && endings[1] == 1)
  }
}
