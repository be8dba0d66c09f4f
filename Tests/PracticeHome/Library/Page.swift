import Synchronization

/// What a browser is shown: files, and a stream of events that keeps them up to date. It stands
/// beside the home: no request for it is in the journal, and no fault is played to it.
final class Page: Sendable {
  static let path = "/"
  static let eventsPath = "/practice/events"
  /// Each of them takes a thread. A browser opens at most six to one server.
  static let listenersMax = 12

  private struct State {
    var content: PageContent
    var listeners: [ObjectIdentifier: Bell] = [:]
  }

  private let state: Mutex<State>

  /// Begins with what the home remembers.
  init(of home: Home) {
    var content = PageContent()
    for entry in home.journal { content.note(entry, home.counters) }
    state = Mutex(State(content: content))
  }

  func note(_ entries: [JournalEntry], _ counters: Counters) {
    state.withLock { state in
      for entry in entries { state.content.note(entry, counters) }
      for bell in state.listeners.values { bell.ring() }
    }
  }

  /// The response to a request for the page, or nil for one that is for the home.
  func answer(_ request: Request) -> Response? {
    guard ["GET", "HEAD"].contains(request.method) else { return nil }
    let file = PageFile.all[request.path]
    guard file != nil || request.path == Self.eventsPath else { return nil }
    guard Self.isLocal(request.header("Host")) else {
      return Answer.text(403, "403: this page is for a browser of this machine, at 127.0.0.1")
        .response()
    }
    if let file { return file.response }
    return Response(
      status: 200, contentType: "text/event-stream; charset=utf-8", body: [], delivery: .events,
      isUnstored: true)
  }

  /// Whether a browser was sent to this machine by name. A foreign site whose name was bent to
  /// 127.0.0.1 would else read where the devices are.
  static func isLocal(_ host: String?) -> Bool {
    guard let host else { return false }
    let colon = host.lastIndex(of: ":") ?? host.endIndex
    let port = host[colon...].dropFirst()
    let name = port.allSatisfy(\.isNumber) ? host[..<colon] : host[...]
    return ["127.0.0.1", "localhost", "[::1]"].contains(name)
  }

  // MARK: Listeners

  /// False if there are too many.
  func join(_ bell: Bell) -> Bool {
    state.withLock { state in
      guard state.listeners.count < Self.listenersMax else { return false }
      state.listeners[ObjectIdentifier(bell)] = bell
      return true
    }
  }

  func leave(_ bell: Bell) {
    state.withLock { _ = $0.listeners.removeValue(forKey: ObjectIdentifier(bell)) }
  }

  /// What is newer than a revision, and the revision it leads to; nil if nothing is.
  func news(since past: Int?, now: Moment) -> (content: JSON, revision: Int)? {
    state.withLock { state in
      let content = state.content
      guard past != content.revision else { return nil }
      return (content.json(since: past, now: now), content.revision)
    }
  }
}
