import Bytes
import CHTTPServer
import CLinux

/// The one thread that has the store. What came while it was busy shares the next transaction, and
/// with that the next wait for the disk.
final class Worker: Sendable {
  /// Requests of one transaction.
  static let batchCountMax = 512
  /// Seconds between two looks for what has waited too long.
  static let pauseSeconds = 60

  private struct Queue {
    var waiting: [Exchange] = []
    var answered: [Exchange] = []
    var isStopping = false
  }

  private let queue = Mutex(Queue())
  /// Posted when something comes, and at the end.
  private let semaphore = Semaphore()
  /// Rung when there are answers.
  private let bell: Bell
  private let counters: Counters

  init(_ counters: Counters, _ bell: Bell) {
    self.counters = counters
    self.bell = bell
  }

  /// Takes some exchanges; false if the worker stops.
  func take(_ exchanges: [Exchange]) -> Bool {
    let isTaken = queue.withLock { queue in
      guard !queue.isStopping else { return false }
      queue.waiting += exchanges
      return true
    }
    if isTaken { semaphore.post() }
    return isTaken
  }

  /// Gives back the exchanges that have an answer.
  func takeAnswered() -> [Exchange] {
    queue.withLock { queue in
      defer { queue.answered = [] }
      return queue.answered
    }
  }

  /// Ends `run`, which still performs what has been taken.
  func stop() {
    queue.withLock { $0.isStopping = true }
    semaphore.post()
  }

  /// Performs the exchanges that come, until `stop`. Called by the thread that has the store.
  func run(_ store: any Store, _ clocks: Clocks) {
    var clockWatch = ClockWatch(clocks.wall(), clocks.monotonic())
    var cleaned = clocks.monotonic()
    while let batch = nextBatch() {
      let (now, instant) = (clocks.wall(), clocks.monotonic())
      if let step = clockWatch.step(now, instant) {
        attempt { () throws(StoreFailure) in try store.clockStepped(by: step) }
      }
      if !batch.isEmpty { answer(batch, store, at: now) }
      if instant - cleaned >= .seconds(Self.pauseSeconds) {
        cleaned = instant
        attempt { () throws(StoreFailure) in
          counters.count(dropped: Int(try store.dropOld(at: now)))
        }
      }
    }
  }

  private func attempt(_ body: () throws(StoreFailure) -> Void) {
    do {
      try body()
      counters.storeSucceeded()
    } catch {
      counters.storeFailed(error)
    }
  }

  /// Takes the exchanges that wait, perhaps none after a pause; returns nil at the end.
  private func nextBatch() -> [Exchange]? {
    let (batch, isStopping) = queue.withLock { queue in
      let batch = Array(queue.waiting.prefix(Self.batchCountMax))
      queue.waiting.removeFirst(batch.count)
      return (batch, queue.isStopping)
    }
    if !batch.isEmpty { return batch }
    if isStopping { return nil }
    semaphore.wait(seconds: Self.pauseSeconds)
    return []
  }

  private func answer(_ batch: [Exchange], _ store: any Store, at now: WallTime) {
    let answers: [Answer]
    do {
      let outcomes = try store.perform(batch.compactMap { $0.operation }, at: now)
      counters.count(outcomes)
      counters.storeSucceeded()
      answers = outcomes.map { Answer($0) }
    } catch {
      counters.storeFailed(error)
      answers = batch.map { _ in Answer.failed(error) }
    }
    for (exchange, answer) in zip(batch, answers) {
      exchange.operation = nil
      exchange.state = .answered(answer)
    }
    queue.withLock { $0.answered += batch }
    bell.ring()
  }
}

/// Bell of the thread that serves, which waits for it and for its sockets.
final class Bell: Sendable {
  /// Descriptor to wait for; -1 if the system has no room for it.
  let descriptor = chttp_bell()

  deinit { close(descriptor) }

  func ring() { chttp_ring(descriptor) }
}
