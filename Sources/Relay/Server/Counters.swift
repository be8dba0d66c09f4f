import CLinux

/// Counts of a relay since it began. No name and no token is among them.
final class Counters {
  private var accepted = 0
  private var overLimit = 0
  private var fetches = 0
  private var failures = 0
  private var transactions = 0
  /// Whether the store kept the last that it was asked to keep. What keeps nothing is no sign: with
  /// a full disk, a refusal succeeds.
  private(set) var isStoreWell = true
  /// Requests that were refused, except over the limit of a day.
  var refused = 0
  /// Connections that were too slow.
  var slow = 0
  /// Notifications that waited too long.
  var dropped = 0

  /// Counts a transaction and its outcomes.
  func count(_ outcomes: [Outcome]) {
    transactions += 1
    for outcome in outcomes {
      switch outcome {
      case .accepted:
        accepted += 1
        storeSucceeded()
      case .overLimit: overLimit += 1
      case .waiting: fetches += 1
      case .hasNoKey, .isFull, .unknown: refused += 1
      }
    }
  }

  /// Notes that the store kept something, and says so if it failed before.
  func storeSucceeded() {
    if !isStoreWell { report("works again") }
    isStoreWell = true
  }

  /// Notes a failure of the store, and says so if it is the first.
  func storeFailed(_ failure: StoreFailure) {
    failures += 1
    if isStoreWell { report("fails: \(failure)") }
    isStoreWell = false
  }

  private func report(_ words: String) {
    say("homeward-relay: the store \(words)\n", on: STDERR_FILENO)
  }

  /// The text that Prometheus reads.
  func exposition(connections: Int) -> String {
    let rows: [(name: String, kind: String, help: String, value: Int)] = [
      ("accepted_total", "counter", "Notifications that were accepted.", accepted),
      ("over_limit_total", "counter", "Notifications over the limit of a day.", overLimit),
      ("refused_total", "counter", "Requests that were refused for another reason.", refused),
      ("fetches_total", "counter", "Questions of boards.", fetches),
      ("failures_total", "counter", "Transactions that failed.", failures),
      ("dropped_total", "counter", "Notifications that waited too long.", dropped),
      ("slow_total", "counter", "Connections that were too slow.", slow),
      ("transactions_total", "counter", "Commits of the store.", transactions),
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
}
