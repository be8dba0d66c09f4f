import Bytes
import Outbox
import Sensing

@testable import HomeAssistant
@testable import PracticeHome

// Where secrets may go, and what goes over WebSockets between the agent and the home that has its
// address.

extension World {
  // MARK: Secrets

  /// The network that the board is in.
  var place: NetworkPlace {
    let interface = NetworkInterface(index: 1, name: InlineText("wlan0"))
    return switch presence {
    case .unknown: .unknown
    case .away: .elsewhere(interface)
    case .home: .wired(gateway: DayPlan.gateway, interface)
    }
  }

  /// What a person who pairs the board leaves there.
  func installLogin() {
    switch plan.login {
    case .file: disk.install(home.token, as: StateFiles.token)
    case .pairing:
      let clientID = "https://boat.example/"
      let token = home.login(clientID: clientID, at: trueTime)
      guard
        let credential = Credential(
          refreshToken: [UInt8](token.utf8), clientID: [UInt8](clientID.utf8))
      else { preconditionFailure("a login of the practice home") }
      var file = ByteBuffer(capacity: Credential.fileByteCountMax)
      credential.writeFile(into: &file)
      disk.install([UInt8](file.bytes), as: StateFiles.credential)
    }
  }

  /// Whether a stranger in the network can read what goes over it, and the configuration does not
  /// allow that away from home.
  func isBare(_ link: Link) -> Bool {
    plan.knowsHome && !plan.settings.server.isPlainAllowedAway && presence != .home
      && link.url.starts(with: "http://".utf8)
  }

  /// What is under way when the board leaves does not go on over a foreign network.
  func checkCallsUnderWay() {
    for number in agent?.callsUnderWay ?? [] {
      if let link = openCalls[number], isBare(link) {
        ledger.complain("what is under way over \(link) is not ended away from home", at: now)
      }
    }
  }

  // MARK: Messages

  func house(_ isStranger: Bool) -> ModelHome { isStranger ? stranger : home }

  /// Returns the number of the WebSocket.
  func openSocket(from life: Int) -> Int {
    let weather = network[.instance]
    if isBare(.instance) { ledger.complain("a WebSocket opens away from home", at: now) }
    let (number, fate) = sockets.open(in: weather, from: life, changes: network.changeCount)
    if let (happening, delay) = fate { happens(.socket(number, happening), after: delay) }
    return number
  }

  func closeSocket(_ number: Int) {
    guard let socket = sockets.close(number), let session = socket.session else { return }
    house(socket.isStranger).sessionEnded(session, at: trueTime)
    deliverMail(isStranger: socket.isStranger)
  }

  func send(_ text: [UInt8], over number: Int) {
    ledger.sentOverSocket(text, at: now)
    if let moment = arrival(over: number, \.lastToHome) {
      happens(.arrivedOverSocket(number, text), at: moment)
    }
  }

  private func arrival(
    over number: Int, _ last: WritableKeyPath<Sockets.Line, Instant>
  ) -> Instant? {
    sockets.arrival(over: number, last, network[.instance], network.changeCount, now: now)
  }

  func socketHappened(_ number: Int, _ happening: SocketHappening) throws {
    guard let socket = sockets[number], socket.life == lifeCount, agent != nil else { return }
    switch happening {
    case .opened:
      guard let session = house(socket.isStranger).openSession(at: trueTime) else {
        _ = sockets.close(number)
        return try agent?.happened(to: number, .failed) ?? ()
      }
      sockets.opened(number, session: session)
      try agent?.happened(to: number, .opened)
      return deliverMail(isStranger: socket.isStranger)
    case .failed, .closed: _ = sockets.close(number)
    case .received: break
    }
    sockets.isAnswerOfHome = !socket.isStranger
    defer { sockets.isAnswerOfHome = false }
    try agent?.happened(to: number, happening)
  }

  /// What Home Assistant has to say goes over its WebSockets.
  func deliverMail(isStranger: Bool) {
    let house = house(isStranger)
    for (session, dispatch) in house.takeMail() {
      guard let number = sockets.number(ofSession: session, isStranger: isStranger) else {
        continue
      }
      switch dispatch {
      case .message(let message):
        if let moment = arrival(over: number, \.lastToAgent) {
          happens(.socket(number, .received(message.bytes)), at: moment)
        }
      case .ping:
        if sockets.isWhole(number, network[.instance], network.changeCount) {
          house.heard(session, at: trueTime)
        }
      case .close, .drop:
        // What was said before comes before it.
        if let moment = arrival(over: number, \.lastToAgent) {
          happens(.socket(number, .closed), at: moment)
        }
      }
    }
    let index = isStranger ? 1 : 0
    guard !sockets.isHomeDuePlanned[index], let deadline = house.deadline else { return }
    sockets.isHomeDuePlanned[index] = true
    let moment = Instant(nanoseconds: (deadline - Self.epochSeconds * 1_000_000) * 1000)
    happens(.homeDue(isStranger: isStranger), at: max(moment, now + .milliseconds(1)))
  }
}
