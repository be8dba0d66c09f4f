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

  /// Another Home Assistant answered for a while and refused the token; ours was not asked again.
  @Test func theFormerRegistrationIsTriedOnWhileThereIsNoNewOne() { liveThrough(601) }

  /// A write that failed, and then the same segment could not be read either.
  @Test func aSegmentThatIsNeitherWrittenNorReadDoesNotEndTheAgent() { liveThrough(241) }

  /// What was in memory when the backlog was closed was looked for there, and stood on the disk.
  @Test func whatIsWrittenAfterTheBacklogWasClosedIsAPartOfIt() { liveThrough(1) }

  /// A reading came after its cycle had begun, and was replaced before the states were written.
  @Test func whatIsReplacedInTheMiddleOfACycleIsHistory() { liveThrough(64, 70) }

  /// A person set the clock by hand, and the next cycle took it for the network's time.
  @Test func aClockThatWasSetByHandIsNotBelieved() { liveThrough(0) }

  /// The clock was set while an entry that was out of memory waited for the next event.
  @Test func theTimeOfAnEntryThatWaitsIsPutRight() { liveThrough(744) }

  /// A person set the clock by hand, and an edge woke the agent before it had looked at the clock.
  @Test func anEdgeThatEndsTheSleepComesAfterTheClocks() { liveThrough(258, 920) }
}
