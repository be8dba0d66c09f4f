@testable import PracticeHome

/// A WebSocket of the core, without frames: what it says and hears, as JSON.
final class Caller {
  private let place: Place
  let session: Int
  /// What was heard and not looked at yet.
  private(set) var heard: [JSON] = []
  private(set) var end: Dispatch?
  private(set) var pingCount = 0
  private var lastID = 0

  /// A home that several callers share with a device.
  final class Place {
    var visitor: Visitor
    fileprivate var callers: [Caller] = []

    init(_ visitor: Visitor = Visitor()) { self.visitor = visitor }

    var home: Home {
      get { visitor.home }
      set { visitor.home = newValue }
    }
    var now: Moment { visitor.now }

    /// Lets time pass, and what is due happen.
    func pass(_ duration: Duration) {
      let end = now + duration
      while let deadline = home.deadline, deadline <= end {
        visitor.now = max(deadline, now)
        home.advance(now: visitor.now)
        deliver()
        // What is due is done, or will never be.
        if home.deadline == deadline { break }
      }
      visitor.now = end
    }

    func deliver() {
      for (session, dispatch) in home.takeMail() {
        callers.first { $0.session == session }?.take(dispatch)
      }
    }

    /// Calls, and shows the token of the home.
    func call() -> Caller {
      let caller = Caller(self)
      caller.say(["type": "auth", "access_token": "practice"])
      _ = caller.all()
      return caller
    }
  }

  /// Calls, and does not show a token yet.
  init(_ place: Place) {
    self.place = place
    session = place.home.openSession(now: place.now)
    place.callers.append(self)
    place.deliver()
  }

  fileprivate func take(_ dispatch: Dispatch) {
    switch dispatch {
    case .message(let message): heard.append(message)
    case .ping: pingCount += 1
    case .close, .drop: end = dispatch
    }
  }

  func say(_ message: JSON) { say(raw: message.text) }

  func say(raw text: String) {
    place.home.heard(session, now: place.now)
    place.home.received(Array(text.utf8), on: session, now: place.now)
    place.deliver()
  }

  func say(bytes: [UInt8]) {
    place.home.received(binary: bytes, on: session, now: place.now)
    place.deliver()
  }

  func pong() { place.home.heard(session, now: place.now) }

  /// Everything heard, which is then forgotten.
  func all() -> [JSON] {
    place.home.settle(place.now)
    place.deliver()
    defer { heard = [] }
    return heard
  }

  /// Sends a command under the next id; the id.
  @discardableResult
  func command(_ type: String, _ content: JSONObject = [:]) -> Int128 {
    lastID += 1
    let message: JSONObject = ["id": .count(lastID), "type": .string(type)]
    say(.object(message.merging(content)))
    return Int128(lastID)
  }

  /// Sends a command, and takes the answer out of what is heard.
  func ask(_ type: String, _ content: JSONObject = [:]) -> JSON? {
    let id = command(type, content)
    guard
      let index = heard.firstIndex(where: { $0["id"] == .integer(id) && $0["type"] == "result" })
    else { return nil }
    return heard.remove(at: index)
  }

  /// The result of a command that succeeds.
  func result(_ type: String, _ content: JSONObject = [:]) -> JSON? {
    let answer = ask(type, content)
    return answer?["success"] == true ? answer?["result"] : nil
  }

  /// The error a command fails with.
  func error(_ type: String, _ content: JSONObject = [:]) -> (code: String, message: String) {
    let error = ask(type, content)?["error"]
    return (error?["code"]?.string ?? "", error?["message"]?.string ?? "")
  }

  /// The events heard under an id, which are then forgotten.
  func events(_ id: Int128) -> [JSON] {
    all().filter { $0["id"] == .integer(id) && $0["type"] == "event" }.compactMap { $0["event"] }
  }
}
