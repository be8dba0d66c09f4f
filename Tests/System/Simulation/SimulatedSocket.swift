import Bytes
import HomeAssistant

/// What a client hears of its WebSocket.
enum SocketHappening {
  case opened
  case failed
  case received([UInt8])
  case closed
}

/// The WebSocket of a client, in virtual time. It stands for the agent's `WebSocketDriver`.
final class SimulatedSocket: Driver {
  private let world: World
  private let life: Int
  private let wantToken: (RefusedToken?) -> Void
  /// The number of the WebSocket that is open or wanted.
  private var number: Int?
  /// The token that the session got last.
  private var sessionToken: [UInt8]?
  unowned var client: Client!

  init(_ world: World, life: Int, wantToken: @escaping (RefusedToken?) -> Void) {
    self.world = world
    self.life = life
    self.wantToken = wantToken
  }

  func give(_ result: TokenResult) {
    if case .token(let token) = result { sessionToken = token }
    client.tokenFetched(result)
  }

  func happened(to number: Int, _ happening: SocketHappening) {
    guard number == self.number else { return }
    switch happening {
    case .opened: client.socketOpened()
    case .received(let text): client.received(text.span)
    case .failed, .closed:
      self.number = nil
      client.socketClosed(.closed(code: nil))
    }
  }

  // MARK: Driver

  var now: Instant { world.instant }

  func openSocket() { number = world.openSocket(from: life) }

  func closeSocket(code: UInt16) {
    if let number { world.closeSocket(number) }
    number = nil
  }

  func send(_ kind: WebSocketMessageKind, _ message: Span<UInt8>) {
    if let number { world.send([UInt8](message), over: number) }
  }

  func fetchToken(_ reason: TokenReason) {
    var refused: RefusedToken?
    if case .afterRejection(let verdict) = reason {
      refused = sessionToken.map { RefusedToken($0, verdict) }
    }
    sessionToken = nil
    wantToken(refused)
  }

  func send(_ call: HTTPCall) { client.httpFailed(call.id, .rejected) }
  func cancelHTTP(_ id: RequestID) {}
}
