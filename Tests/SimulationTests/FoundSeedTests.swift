import Testing

/// Days on which something was wrong once, by what it was.
@Suite struct FoundSeedTests {
  /// A change that draws another day from a seed loses these: then other seeds are to be found,
  /// with what was mended taken back.
  private func liveThrough(_ seeds: UInt64...) {
    for seed in seeds {
      for complaint in Day(seed: seed).live() { Issue.record("seed \(seed): \(complaint)") }
    }
  }

  /// A person set the clock by hand, and an edge woke the agent before it had looked at the clock.
  @Test func anEdgeThatEndsTheSleepComesAfterTheClocks() { liveThrough(258, 920) }

  /// There was no credential, and the WebSocket was connected again at every refusal, at once: the
  /// day did not end.
  @Test func aRefusalWithoutACredentialDoesNotConnectForEver() { liveThrough(2820, 6201) }
}
