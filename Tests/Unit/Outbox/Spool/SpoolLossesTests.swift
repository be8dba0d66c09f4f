import Testing

@testable import Outbox

@Suite struct SpoolLossesTests {
  /// The agent says how many entries are gone; an export and a person add them to what arrived.
  @Test func everyEntryThatIsGoneIsCountedOnce() {
    var losses = Spool.Losses()
    losses.dropped = 1
    losses.overflowed = 2
    losses.damaged = 4
    losses.unreadable = 8
    losses.nameless = 16
    // These are no entries.
    losses.damagedByteCount = 32
    losses.tornByteCount = 64
    losses.setAside = 128
    #expect(losses.entryCount == 31)
  }
}
