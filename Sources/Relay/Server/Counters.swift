import Bytes
import CLinux
import Synchronization

/// Counts of a relay since it began. No name and no token is among them.
final class Counters: Sendable {
  private let accepted = Atomic<Int>(0)
  private let overLimit = Atomic<Int>(0)
  private let refused = Atomic<Int>(0)
  private let isFailing = Atomic<Bool>(false)
  private let fetches = Atomic<Int>(0)
  private let failures = Atomic<Int>(0)
  private let slow = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  private let transactions = Atomic<Int>(0)

  func count(_ outcomes: [Outcome]) {
    transactions.add(1, ordering: .relaxed)
    for outcome in outcomes {
      switch outcome {
      case .accepted: accepted.add(1, ordering: .relaxed)
      case .overLimit: overLimit.add(1, ordering: .relaxed)
      case .waiting: fetches.add(1, ordering: .relaxed)
      case .hasNoKey, .isFull, .unknown: refused.add(1, ordering: .relaxed)
      }
    }
  }

  func countRefusal() { refused.add(1, ordering: .relaxed) }

  /// Whether the store kept the last that it was asked to keep.
  var isStoreWell: Bool { !isFailing.load(ordering: .relaxed) }

  /// Notes that the store works, and says so if it did not before.
  func storeSucceeded() {
    if isFailing.exchange(false, ordering: .relaxed) { report("works again") }
  }

  /// Notes a failure of the store, and says so if it is the first.
  func storeFailed(_ failure: StoreFailure) {
    failures.add(1, ordering: .relaxed)
    if !isFailing.exchange(true, ordering: .relaxed) { report("fails: \(failure)") }
  }

  private func report(_ words: String) {
    say("homeward-relay: the store \(words)\n", on: STDERR_FILENO)
  }

  func count(slow count: Int) { slow.add(count, ordering: .relaxed) }
  func count(dropped count: Int) { dropped.add(count, ordering: .relaxed) }

  /// The text that Prometheus reads.
  func exposition(connections: Int) -> String {
    let rows: [(name: String, kind: String, help: String, value: Int)] = [
      ("accepted_total", "counter", "Notifications that were accepted.", read(accepted)),
      ("over_limit_total", "counter", "Notifications over the limit of a day.", read(overLimit)),
      ("refused_total", "counter", "Requests that were refused for another reason.", read(refused)),
      ("fetches_total", "counter", "Questions of boards.", read(fetches)),
      ("failures_total", "counter", "Transactions that failed.", read(failures)),
      ("dropped_total", "counter", "Notifications that waited too long.", read(dropped)),
      ("slow_total", "counter", "Connections that were too slow.", read(slow)),
      ("transactions_total", "counter", "Commits of the store.", read(transactions)),
      ("connections", "gauge", "Connections that are open.", connections),
    ]
    return rows.map { row in
      """
      # HELP homeward_relay_\(row.name) \(row.help)
      # TYPE homeward_relay_\(row.name) \(row.kind)
      homeward_relay_\(row.name) \(row.value)

      """
    }.joined()
  }

  private func read(_ counter: borrowing Atomic<Int>) -> Int { counter.load(ordering: .relaxed) }
}
