import Bytes
import Foundation
import Testing

@testable import Board

/// What people read below each other, and by the clock of their wall.
@Suite struct TablesAndTimesTests {
  @Test func columnsAreAsWideAsTheirWidestCellAndNumbersStandToTheRight() {
    var table = ListTable(["NAME", "COUNT", "UNIT"])
    table.append(["bilge", "5", "°C"])
    table.append(["a long name", "12345678", ""])
    #expect(
      text(table.lines) == """
        NAME            COUNT  UNIT
        bilge               5  °C
        a long name  12345678

        """)
  }

  @Test func aColumnWithAWordIsNoColumnOfNumbers() {
    var table = ListTable(["VALUE"])
    table.append(["12"])
    table.append(["unknown"])
    #expect(text(table.lines) == "VALUE\n12\nunknown\n")
  }

  /// The C library's words for the same moment are the oracle.
  @Test(arguments: [0, 951_782_399, 1_700_000_000, 1_782_000_000] as [Int])
  func aTimeIsThatOfTheClocksHere(seconds: Int) {
    var time = time_t(seconds)
    var parts = unsafe tm()
    var bytes = [CChar](repeating: 0, count: 64)
    let count = unsafe strftime(
      &bytes, bytes.count, "%Y-%m-%d %H:%M:%S%z", localtime_r(&time, &parts))
    var expected = bytes[..<count].map { UInt8(bitPattern: $0) }
    expected.insert(UInt8(ascii: ":"), at: count - 2)
    let words: MessageText = "\(localTime: WallTime(nanoseconds: Int64(seconds) * 1_000_000_000))"
    #expect(words.bytes == expected)
  }
}
