import Testing

@testable import Outbox

@Suite struct SpoolLossesTests {
  /// The agent says how many entries are gone; an export and a person add them to what arrived.
  @Test func everyEntryThatIsGoneIsCountedOnce() {
    var losses = Spool.Losses()
    losses.thinned = 1
    losses.dropped = 2
    losses.overflowed = 4
    losses.damaged = 8
    losses.nameless = 16
    // These are no entries.
    losses.damagedByteCount = 32
    losses.tornByteCount = 64
    losses.unreadableSegments = 128
    losses.setAside = 256
    #expect(losses.entryCount == 31)
  }
}
