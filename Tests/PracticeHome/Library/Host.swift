import CMicroHTTPD
import Synchronization

/// What the threads of a server share.
final class Host: Sendable {
  private struct State {
    var home: Home
    var requestCount = 0
    /// Open WebSockets, by the number of their session.
    var lines: [Int: SocketLine] = [:]
    var isStopping = false
  }

  private let state: Mutex<State>
  /// Beside the home: it shows what happens there, whatever the home is told to play.
  let page: Page
  let observer: (@Sendable ([JournalEntry]) -> Void)?
  let stopSignal = StopSignal()

  init(home: Home, observer: (@Sendable ([JournalEntry]) -> Void)?) {
    state = Mutex(State(home: home))
    page = Page(of: home)
    self.observer = observer
  }

  /// Lets something happen in the home, sends what follows from it, and tells page and observer.
  private func change<Result: Sendable>(
    _ body: (inout sending State) -> sending Result
  ) -> Result {
    let (result, entries) = state.withLock { state in
      let before = state.home.entryCount
      let result = body(&state)
      for (session, dispatch) in state.home.takeMail() { state.lines[session]?.send(dispatch) }
      let entries = Array(state.home.journal.suffix(state.home.entryCount - before))
      // Here, where one thing happens at a time: the page shows them in this order.
      if !entries.isEmpty { page.note(entries, state.home.counters) }
      return (result, entries)
    }
    if !entries.isEmpty { observer?(entries) }
    return result
  }

  func withHome<Result: Sendable>(_ body: (inout Home) -> sending Result) -> Result {
    change { state in
      let result = body(&state.home)
      state.home.settle(.now())
      return result
    }
  }

  var requestCount: Int { state.withLock { $0.requestCount } }

  func answer(_ request: Request) -> Response {
    if let response = page.answer(request) { return response }
    return change { state in
      state.requestCount += 1
      return state.home.answer(request, now: .now())
    }
  }

  /// Waits as the response demands. False if it is not to be given any more.
  func waitToAnswer(_ delivery: Response.Delivery) -> Bool {
    switch delivery {
    case .complete, .half, .events: true
    case .after(let delay): !stopSignal.wait(atMost: delay)
    case .never: !stopSignal.wait(atMost: nil)
    }
  }
}

// MARK: WebSockets

extension Host {
  /// The number of the session a new WebSocket has, or nil if it comes too late.
  func join(_ line: SocketLine) -> Int? {
    change { state in
      if state.isStopping { return nil }
      let id = state.home.openSession(now: .now())
      state.lines[id] = line
      return id
    }
  }

  func received(_ incoming: FrameReader.Incoming, on id: Int) {
    change { state in
      let now = Moment.now()
      state.home.heard(id, now: now)
      switch incoming {
      case .text(let text): state.home.received(text, on: id, now: now)
      case .binary(let bytes): state.home.received(binary: bytes, on: id, now: now)
      case .ping(let payload): state.lines[id]?.write(FrameWriter.frame(.pong, payload))
      case .pong: break
      case .close: state.home.said(goodbye: id, now: now)
      }
    }
  }

  func violated(_ violation: FrameReader.Violation, on id: Int) {
    change { state in
      state.home.close(id, because: violation.reason, code: violation.code, now: .now())
    }
  }

  /// The connection of a session is no more, from whichever side.
  func left(_ id: Int) {
    change { state in
      state.home.sessionEnded(id, now: .now())
      state.lines[id] = nil
    }
  }

  /// Does what is due by now.
  func advance() {
    change { state in
      let now = Moment.now()
      if let deadline = state.home.deadline, deadline <= now { state.home.advance(now: now) }
    }
  }

  /// How long nothing will be due.
  var rest: Duration? {
    state.withLock { state in
      state.home.deadline.map { deadline in
        max(.zero, .microseconds(deadline.microseconds - Moment.now().microseconds))
      }
    }
  }

  /// Says goodbye on every WebSocket, and returns when all are gone.
  func hangUp() {
    let lines = change { state in
      state.isStopping = true
      state.home.closeAllSessions(now: .now())
      return Array(state.lines.values)
    }
    for line in lines { _ = line.ended.wait(atMost: nil) }
  }
}

/// Wakes every waiting thread at once, and for good.
final class StopSignal: Sendable {
  private let readEnd: Int32
  /// -1 once the signal is given: a closed pipe is readable for ever.
  private let writeEnd: Mutex<Int32>

  init() {
    var ends: (Int32, Int32) = (-1, -1)
    let status = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
      unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe pipe($0) }
    }
    precondition(status == 0, "no descriptors left for a pipe")
    readEnd = ends.0
    writeEnd = Mutex(ends.1)
  }

  /// Readable once the signal is given.
  var descriptor: Int32 { readEnd }

  func give() {
    writeEnd.withLock { end in
      if end >= 0 { close(end) }
      end = -1
    }
  }

  /// True if the signal was given before the time was up.
  func wait(atMost limit: Duration?) -> Bool {
    let end = limit.map { ContinuousClock.now + $0 }
    while true {
      let rest = end.map { $0 - ContinuousClock.now }
      if let rest, rest <= .zero { return false }
      var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
      // A signal of the system may interrupt; then the rest is waited for.
      if unsafe poll(&entry, 1, rest.map(Self.milliseconds) ?? -1) > 0 { return true }
    }
  }

  /// Rounded up, so that no wait is too short.
  static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  deinit {
    give()
    close(readEnd)
  }
}
