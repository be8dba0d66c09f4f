import CMicroHTTPD
import Synchronization

/// What the threads of a server share.
final class Host: Sendable {
  private struct State {
    var home: Home
    var requestCount = 0
  }

  private let state: Mutex<State>
  let observer: (@Sendable ([JournalEntry]) -> Void)?
  let stopSignal = StopSignal()

  init(home: Home, observer: (@Sendable ([JournalEntry]) -> Void)?) {
    state = Mutex(State(home: home))
    self.observer = observer
  }

  func withHome<Result: Sendable>(_ body: (inout sending Home) -> sending Result) -> Result {
    state.withLock { body(&$0.home) }
  }

  var requestCount: Int { state.withLock { $0.requestCount } }

  func answer(_ request: Request) -> Response {
    let (response, entries) = state.withLock { state in
      let before = state.home.entryCount
      let response = state.home.answer(request, now: .now())
      state.requestCount += 1
      return (response, Array(state.home.journal.suffix(state.home.entryCount - before)))
    }
    if !entries.isEmpty { observer?(entries) }
    return response
  }

  /// Waits as the response demands. False if it is not to be given any more.
  func waitToAnswer(_ delivery: Response.Delivery) -> Bool {
    switch delivery {
    case .complete, .half: true
    case .after(let delay): !stopSignal.wait(atMost: delay)
    case .never: !stopSignal.wait(atMost: nil)
    }
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
  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  deinit {
    give()
    close(readEnd)
  }
}
