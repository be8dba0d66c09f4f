import CLinux

/// Connections that are open, and what each of them does. A client that sends a byte at a time
/// would keep its place for ever: the library sees only that something comes.
final class Connections {
  /// Times that a connection may take.
  struct Timeouts: Sendable {
    /// Seconds for a request, until it is complete, and for its answer, until it is taken. Home
    /// Assistant gives up after 10.
    var request: Int64 = 15
    /// Seconds between two requests.
    var idle: Int64 = 75
  }

  private enum Activity {
    case request(since: Int64)
    /// The store has the request.
    case work
    case answer(since: Int64)
    case idle(since: Int64)
  }

  private struct Open {
    let descriptor: Int32
    var activity: Activity
  }

  private let timeouts: Timeouts
  private var open: [UInt: Open] = [:]
  /// Second of the last look for those that are slow.
  private var checked: Int64 = 0

  init(_ timeouts: Timeouts) { self.timeouts = timeouts }

  /// A connection was accepted; its first request is expected.
  func opened(_ connection: OpaquePointer, _ descriptor: Int32, at second: Int64) {
    open[UInt(bitPattern: connection)] =
      Open(descriptor: descriptor, activity: .request(since: second))
  }

  func closed(_ connection: OpaquePointer) {
    open.removeValue(forKey: UInt(bitPattern: connection))
  }

  /// The head of a request was read.
  func requestBegan(_ connection: OpaquePointer, at second: Int64) {
    unsafe set(connection, .request(since: second))
  }

  /// A request was read whole.
  func requestEnded(_ connection: OpaquePointer) { unsafe set(connection, .work) }

  /// An answer is sent from now on.
  func answerBegan(_ connection: OpaquePointer, at second: Int64) {
    unsafe set(connection, .answer(since: second))
  }

  /// An answer was sent.
  func answerEnded(_ connection: OpaquePointer, at second: Int64) {
    unsafe set(connection, .idle(since: second))
  }

  private func set(_ connection: OpaquePointer, _ activity: Activity) {
    open[UInt(bitPattern: connection)]?.activity = activity
  }

  var count: Int { open.count }
  var isEmpty: Bool { open.isEmpty }

  /// Whether the store has a request, or its answer is on the way.
  var isAnswering: Bool {
    open.values.contains { connection in
      switch connection.activity {
      case .work, .answer: true
      case .request, .idle: false
      }
    }
  }

  /// Ends connections that take longer than their time, once a second; returns how many of them had
  /// a request. A descriptor is not closed here: it could belong to another connection at once.
  func endSlow(at second: Int64) -> Int {
    guard second != checked else { return 0 }
    checked = second
    var slow = 0
    for (place, connection) in open {
      switch connection.activity {
      case .request(let since) where second - since > timeouts.request: slow += 1
      case .answer(let since) where second - since > timeouts.request: slow += 1
      case .idle(let since) where second - since > timeouts.idle: break
      default: continue
      }
      shutdown(connection.descriptor, Int32(SHUT_RDWR))
      open[place]?.activity = .idle(since: second)
    }
    return slow
  }
}
