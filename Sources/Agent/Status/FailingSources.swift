import Board
import Bytes
import Sensing

/// The sources that fail now, in the order of their first failure.
struct FailingSources {
  struct Entry {
    let source: InlineText
    var failure: SourceFailure
    /// Start of the failure, whatever its causes.
    let since: Instant
  }

  private(set) var all: [Entry] = []

  mutating func failed(_ source: InlineText, _ failure: SourceFailure, now: Instant) {
    if let index = index(of: source) {
      all[index].failure = failure
    } else {
      all.append(Entry(source: source, failure: failure, since: now))
    }
  }

  mutating func recovered(_ source: InlineText) {
    if let index = index(of: source) { all.remove(at: index) }
  }

  private func index(of source: InlineText) -> Int? {
    all.firstIndex { $0.source == source }
  }
}
