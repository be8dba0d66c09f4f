import Bytes
import CLinux

/// The requests that wait for the store. Those of a turn share a transaction, and with that a wait
/// for the disk.
final class Transactions {
  /// Requests of one transaction.
  static let requestCountMax = 512
  /// Time between two looks for what has waited too long.
  static let pause: Duration = .seconds(60)

  private let store: any Store
  private let clocks: Clocks
  private let counters: Counters
  private var waiting: [(exchange: Exchange, operation: StoreOperation)] = []
  private var clockWatch: ClockWatch
  private var cleaned: Instant

  init(_ store: any Store, _ clocks: Clocks, _ counters: Counters) {
    self.store = store
    self.clocks = clocks
    self.counters = counters
    cleaned = clocks.monotonic()
    clockWatch = ClockWatch(clocks.wall(), cleaned)
  }

  /// Adds a request to the next transaction.
  func add(_ exchange: Exchange, _ operation: StoreOperation) {
    waiting.append((exchange, operation))
  }

  /// Requests that wait for a transaction.
  var count: Int { waiting.count }

  /// Performs the requests that wait, and what the time makes due; whether a request has its answer
  /// now.
  func commit() -> Bool {
    let (now, instant) = (clocks.wall(), clocks.monotonic())
    if let step = clockWatch.step(now, instant) {
      attempt { () throws(StoreFailure) in try store.clockStepped(by: step) }
    }
    let batch = Array(waiting.prefix(Self.requestCountMax))
    waiting.removeFirst(batch.count)
    if !batch.isEmpty { answer(batch, at: now) }
    if instant - cleaned >= Self.pause {
      cleaned = instant
      attempt { () throws(StoreFailure) in try clean(at: now) }
    }
    return !batch.isEmpty
  }

  /// Drops what has waited too long, and finds out whether a store that failed works again.
  private func clean(at now: WallTime) throws(StoreFailure) {
    counters.dropped += Int(try store.dropOld(at: now))
    guard !counters.isStoreWell else { return }
    try store.probe()
    counters.storeSucceeded()
  }

  private func attempt(_ body: () throws(StoreFailure) -> Void) {
    do { try body() } catch { counters.storeFailed(error) }
  }

  private func answer(
    _ batch: [(exchange: Exchange, operation: StoreOperation)], at now: WallTime
  ) {
    do throws(StoreFailure) {
      let outcomes = try store.perform(batch.map { $0.operation }, at: now)
      counters.count(outcomes)
      for (request, outcome) in zip(batch, outcomes) {
        request.exchange.state = .answered(Answer(outcome, to: request.operation))
      }
    } catch {
      counters.storeFailed(error)
      for request in batch { request.exchange.state = .answered(.failed(error)) }
    }
  }
}
