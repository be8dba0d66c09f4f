import CMicroHTTPD
import Synchronization

/// What the threads of a server share.
final class Host: Sendable {
  private struct State {
    var home: Home
    var requestCount = 0
  }

  private let state: Mutex<State>
  private let observer: (@Sendable ([JournalEntry]) -> Void)?
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
      let rest = end.map { max(.zero, $0 - ContinuousClock.now) }
      var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
      let milliseconds =
        rest.map {
          Int32(
            clamping: $0.components.seconds * 1000
              + $0.components.attoseconds / 1_000_000_000_000_000)
        } ?? -1
      let status = unsafe poll(&entry, 1, milliseconds)
      if status > 0 { return true }
      // An interruption is no reason to stop waiting; neither is a millisecond rounded off.
      if let rest, status == 0, rest < .milliseconds(1) { return false }
    }
  }

  deinit {
    give()
    close(readEnd)
  }
}
