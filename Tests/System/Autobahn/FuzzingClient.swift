import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// Goes through the cases of a fuzzing server, one WebSocket after the other.
final class FuzzingClient {
  /// What the open WebSocket is for.
  private enum Errand {
    case countCases
    case runCase(Int)
    case updateReports
  }

  /// The largest message of Autobahn's cases has 16 MiB.
  private static let messageByteCountMax = 16 << 20
  private static let urlByteCountMax = 1024

  private let server: [UInt8]
  private let connection: WebSocketConnection
  private var errand = Errand.countCases
  private var caseCount = 0
  private(set) var isDone = false
  /// The server was not there, or does not say how many cases it has.
  private(set) var hasFailed = false

  init?(loop: EventLoop, server: [UInt8]) {
    guard
      let connection = WebSocketConnection(
        loop: loop, settings: .system, sentByteCountMax: Self.messageByteCountMax,
        receivedByteCountMax: Self.messageByteCountMax, userAgent: [UInt8]("Homeward"))
    else { return nil }
    self.server = server
    self.connection = connection
  }

  var deadline: Instant? { connection.deadline }
  func deadlineReached(now: Instant) { connection.deadlineReached(now: now) }

  func begin() { open() }

  private func open() {
    var url = ByteBuffer(capacity: Self.urlByteCountMax)
    url.append(server)
    switch errand {
    case .countCases: url.append("/getCaseCount")
    case .runCase(let number):
      url.append("/runCase?agent=homeward&case=")
      url.append(decimal: number)
    case .updateReports: url.append("/updateReports?agent=homeward")
    }
    connection.open([UInt8](url.bytes), telling: self)
  }

  private func end(failed: Bool) {
    isDone = true
    hasFailed = failed
  }
}

extension FuzzingClient: WebSocketOwner {
  func webSocketOpened() {}
  func webSocketReceiving() {}

  func webSocketReceived(_ kind: WebSocketMessageKind) {
    switch errand {
    case .countCases: caseCount = number(in: connection.message)
    case .runCase: echo(kind, connection.message)
    case .updateReports: break
    }
  }

  func webSocketClosed(_ end: WebSocketEnd) {
    if case .notConnected = end { return self.end(failed: true) }
    switch errand {
    case .countCases:
      guard caseCount > 0 else { return self.end(failed: true) }
      errand = .runCase(1)
    case .runCase(let number):
      errand = number < caseCount ? .runCase(number + 1) : .updateReports
    case .updateReports:
      return self.end(failed: false)
    }
    open()
  }

  private func echo(_ kind: WebSocketMessageKind, _ message: borrowing ByteBuffer) {
    // False is for a server that has just closed: then it does not wait for this.
    _ = connection.send(kind, message.bytes)
  }

  private func number(in message: borrowing ByteBuffer) -> Int {
    var number = 0
    for index in 0..<min(message.count, 6) where message[index].isASCIIDigit {
      number = number * 10 + Int(message[index] - UInt8(ascii: "0"))
    }
    return number
  }
}
