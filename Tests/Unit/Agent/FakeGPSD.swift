import Foundation
import Synchronization
import Testing

/// A gpsd that says what the story wants, several times a second, to one client at a time.
final class FakeGPSD: Sendable {
  static let version =
    #"{"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":15}"#
    + "\n"
  private static let pace = timeval(tv_sec: 0, tv_usec: 200_000)

  fileprivate struct State {
    var greeting: String
    var report: TPV?
    var client: Int32?
    var isListening = false
  }

  let port: UInt16
  /// The settings of a board that asks it for its position.
  var settings: String { "location: { source: gpsd, port: \(port) }" }
  private let listener: Int32
  private let state: Mutex<State>

  /// - Parameters:
  ///   - greeting: what a client hears first.
  ///   - report: what a client hears that asked for reports.
  ///   - isAbsent: whether its port is kept free until `appear`.
  init(greeting: String = version, reporting report: TPV? = nil, isAbsent: Bool = false) {
    (listener, port) = boundSocket(isShared: false)
    state = Mutex(State(greeting: greeting, report: report))
    if !isAbsent { appear() }
  }

  /// Begins to listen.
  func appear() {
    state.withLock { $0.isListening = true }
    listen(listener, 4)
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let client = unsafe accept4(listener, __SOCKADDR_ARG(), nil, Int32(SOCK_CLOEXEC.rawValue))
        guard client >= 0 else { break }
        if let self { self.serve(client) } else { close(client) }
      }
      // Only this thread closes it: its number may be another socket's by then.
      close(listener)
    }
  }

  deinit {
    hangUp()
    let isListening = state.withLock { $0.isListening }
    if isListening { shutdown(listener, Int32(SHUT_RDWR)) } else { close(listener) }
  }

  /// What a client hears first from now on.
  func greet(with greeting: String) { state.withLock { $0.greeting = greeting } }

  /// What is reported from now on; its clock goes on by itself, unless it stands still.
  func report(_ report: TPV) { state.withLock { $0.report = report } }

  /// Ends the connection, as a gpsd does that dies.
  func hangUp() {
    state.withLock { state in
      if let client = state.client { shutdown(client, Int32(SHUT_RDWR)) }
    }
  }

  private func serve(_ client: Int32) {
    var pace = Self.pace
    unsafe setsockopt(
      client, SOL_SOCKET, SO_RCVTIMEO, &pace, socklen_t(MemoryLayout<timeval>.size))
    let greeting = state.withLock { state in
      state.client = client
      return state.greeting
    }
    write(greeting, to: client)
    var isWatched = false
    var buffer = [UInt8](repeating: 0, count: 256)
    while true {
      let count = unsafe recv(client, &buffer, buffer.count, 0)
      if count > 0 {
        isWatched = String(decoding: buffer[..<count], as: UTF8.self).contains(#""json":true"#)
      } else if count == 0 || errno != EAGAIN {
        break
      }
      let line = isWatched ? state.withLock { $0.report?.next() } : nil
      if let line { write(line + "\n", to: client) }
    }
    state.withLock { $0.client = nil }
    close(client)
  }
}

private func write(_ text: String, to socket: Int32) {
  _ = unsafe send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
}

/// What a receiver reports.
struct TPV: Sendable {
  var mode = 3
  /// Seconds after noon; the next report is a second later.
  var time = 0
  var isClockStuck = false
  var date = "2027-03-14"
  var latitude = "52.3702157"
  var longitude = "4.8951679"

  mutating func next() -> String {
    let seconds = 12 * 3600 + time
    if !isClockStuck { time += 1 }
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    return
      #"{"class":"TPV","device":"/dev/ttyAMA0","mode":\#(mode),"time":"\#(date)T\#(clock).000Z","#
      + #""lat":\#(latitude),"lon":\#(longitude),"eph":5.0}"#
  }
}
