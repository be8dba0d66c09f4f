import Bytes
import Testing

@testable import Outbox

/// Which entries are put right, and by how much.
@Suite struct TimeCorrectionsTests {
  private var corrections = TimeCorrections()

  init() { corrections.runBegins(after: 10) }

  private func entry(_ sequence: UInt64?, isTimeTrusted: Bool = false) -> SpoolEntry {
    SpoolEntry(
      sequence: sequence, time: WallTime(nanoseconds: 0), isTimeTrusted: isTimeTrusted,
      content: .reading(sensor: 0, .unknown))
  }

  private func seconds(_ sequence: UInt64?, isTimeTrusted: Bool = false) -> Int64 {
    let entry = entry(sequence, isTimeTrusted: isTimeTrusted)
    return corrections.corrected(entry, isClockTrusted: true).time.nanoseconds / 1_000_000_000
  }

  @Test mutating func everyStepThatCameAfterAnEntryPutsItRight() {
    corrections.add(.seconds(100), upTo: 12)
    corrections.add(.seconds(7), upTo: 14)
    #expect([11, 12, 13, 14, 15].map { seconds($0) } == [107, 107, 7, 7, 0])
  }

  @Test mutating func whatAnEarlierRunKeptStaysAsItIs() {
    corrections.add(.seconds(100), upTo: 12)
    #expect([1, 10].map { seconds($0) } == [0, 0])
    #expect(!corrections.corrected(entry(10), isClockTrusted: true).isTimeTrusted)
  }

  /// What earlier runs left is not known yet.
  @Test func beforeTheSpoolIsOpenNothingIsOfThisRun() {
    var corrections = TimeCorrections()
    corrections.add(.seconds(100), upTo: 12)
    #expect(corrections.corrected(entry(12), isClockTrusted: true) == entry(12))
  }

  @Test mutating func whatTheBestClockToldIsNotTouched() {
    corrections.add(.seconds(100), upTo: 12)
    #expect(seconds(12, isTimeTrusted: true) == 0)
  }

  /// It was put right where it is.
  @Test mutating func whatIsInMemoryOnlyHasItsTime() {
    corrections.add(.seconds(100), upTo: 12)
    #expect(seconds(nil) == 0)
    #expect(corrections.corrected(entry(nil), isClockTrusted: true).isTimeTrusted)
  }

  @Test(arguments: [true, false])
  func aTimeIsTrustedOnceTheClockIs(isClockTrusted: Bool) {
    let corrected = corrections.corrected(entry(12), isClockTrusted: isClockTrusted)
    #expect(corrected.isTimeTrusted == isClockTrusted)
  }

  /// The oldest entries are put right by all of it, and later ones as before.
  @Test mutating func moreStepsThanAreKeptAddUp() {
    for step in 1...UInt64(TimeCorrections.countMax + 2) {
      corrections.add(.seconds(1), upTo: 10 + step)
    }
    let count = Int64(TimeCorrections.countMax) + 2
    #expect(seconds(11) == count)
    #expect(seconds(14) == count - 3)
    #expect(seconds(10 + UInt64(count)) == 1)
  }
}
