import Bytes
import CHTTPServer
import Synchronization

/// The one thread that has the store. What came while it was busy shares the next transaction, and
/// with that the next wait for the disk.
final class Worker: Sendable {
  /// Requests of one transaction.
  static let batchCountMax = 512

  private struct Queue {
    var waiting: [Exchange] = []
    var isStopping = false
  }

  private let queue = Mutex(Queue())
  /// Is posted for each exchange, and at the end.
  private let bell = Bell()
  private let counters: Counters

  init(_ counters: Counters) { self.counters = counters }

  /// Takes an exchange, whose connection is suspended; false if the worker stops.
  func take(_ exchange: Exchange) -> Bool {
    let isTaken = queue.withLock { queue in
      guard !queue.isStopping else { return false }
      queue.waiting.append(exchange)
      return true
    }
    if isTaken { bell.ring() }
    return isTaken
  }

  /// Ends `run`, which still performs what has been taken.
  func stop() {
    queue.withLock { $0.isStopping = true }
    bell.ring()
  }

  /// Performs what comes, until `stop`. Called by the thread that has the store.
  func run(_ store: any Store, clock: () -> WallTime) {
    var hour: Int64?
    while let batch = nextBatch() {
      let now = clock()
      if !batch.isEmpty { answer(batch, store, at: now) }
      if hour != now.seconds / 3600 {
        hour = now.seconds / 3600
        dropOld(store, at: now)
      }
    }
  }

  /// Takes the exchanges that wait, perhaps none after a minute; returns nil at the end.
  private func nextBatch() -> [Exchange]? {
    let (batch, isStopping) = queue.withLock { queue in
      let batch = Array(queue.waiting.prefix(Self.batchCountMax))
      queue.waiting.removeFirst(batch.count)
      return (batch, queue.isStopping)
    }
    if !batch.isEmpty { return batch }
    if isStopping { return nil }
    bell.wait(seconds: 60)
    return []
  }

  private func dropOld(_ store: any Store, at now: WallTime) {
    do {
      counters.count(dropped: Int(try store.dropOld(at: now)))
    } catch {
      counters.count(failures: 1)
    }
  }

  private func answer(_ batch: [Exchange], _ store: any Store, at now: WallTime) {
    let answers: [Answer]
    do {
      let outcomes = try store.perform(batch.compactMap(\.operation), at: now)
      counters.count(outcomes)
      answers = outcomes.map { Answer($0) }
    } catch {
      counters.count(failures: batch.count)
      answers = batch.map { _ in Answer.failed(error) }
    }
    for (exchange, answer) in zip(batch, answers) {
      exchange.state = .answered(answer)
      unsafe MHD_resume_connection(exchange.connection)
    }
  }
}
