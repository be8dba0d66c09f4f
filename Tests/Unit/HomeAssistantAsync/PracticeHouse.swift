import PracticeHome

/// A practice home on a socket, and what happens there.
struct PracticeHouse {
  private let server: PracticeServer
  private let entries: AsyncStream<JournalEntry>
  var url: String { server.url }
  var token: String { server.token }

  init() throws {
    let (entries, continuation) = AsyncStream<JournalEntry>.makeStream()
    self.entries = entries
    server = try PracticeServer { for entry in $0 { continuation.yield(entry) } }
  }

  private init(server: PracticeServer, entries: AsyncStream<JournalEntry>) {
    self.server = server
    self.entries = entries
  }

  /// Ends every connection and is gone.
  func stop() { server.stop() }

  /// The same home at the same address, after `stop()`.
  func returned() throws -> PracticeHouse {
    PracticeHouse(server: try PracticeServer(continuing: server), entries: entries)
  }

  /// Whether it answers no call from now on. It takes them all the same.
  func hang(_ isHanging: Bool) { server.fault = isHanging ? .hang : nil }

  // MARK: What happened since the last look

  private func until(_ isMeant: (Event) -> Bool) async {
    for await entry in entries where isMeant(entry.event) { return }
  }

  /// Waits until a call came that is not answered.
  func untilCalled() async {
    await until {
      if case .refused(let refused) = $0 { refused.refusal == .fault(.hang) } else { false }
    }
  }

  /// Waits until a command of this type succeeded.
  func untilCommanded(_ type: String) async { await until { $0 == .occurred(.commanded(type)) } }

  /// Waits until a WebSocket was closed by its client.
  func untilLeft() async {
    await until { if case .occurred(.socketClosed(_, byHome: false)) = $0 { true } else { false } }
  }

  /// WebSockets that were refused for their token.
  var refusedTokens: Int {
    server.journal.count {
      if case .refused(let refused) = $0.event, case .socket = refused.refusal {
        true
      } else {
        false
      }
    }
  }
}
