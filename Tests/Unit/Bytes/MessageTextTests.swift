import Bytes
import Testing

/// What people read of lengths of time and of counts.
@Suite struct MessageTextTests {
  private func words(_ text: MessageText) -> String { String(decoding: text.bytes, as: UTF8.self) }

  @Test(
    arguments: [
      (0, "0 s"), (1, "1 ms"), (999, "999 ms"), (1000, "1 s"), (8500, "8 s 500 ms"),
      (59_999, "59 s 999 ms"), (60_000, "1 min"), (90_000, "1 min 30 s"), (3_600_000, "1 h"),
      (3_600_000 + 59_000, "1 h"), (86_400_000 - 1, "23 h 59 min"), (86_400_000, "1 d"),
      (3 * 86_400_000 + 4 * 3_600_000, "3 d 4 h"), (-5, "0 s"),
    ] as [(Int64, String)])
  func aLengthOfTimeIsSaidInItsTwoLargestUnits(milliseconds: Int64, expected: String) {
    #expect(words("\(Duration.milliseconds(milliseconds))") == expected)
  }

  @Test(arguments: [(0, "0 lines"), (1, "1 line"), (2, "2 lines")])
  func ofMoreOrLessThanOneThereIsAPlural(count: Int, expected: String) {
    #expect(words("\(count, "line")") == expected)
  }

  @Test(
    arguments: [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
      as [([StaticString], String)])
  func whatMayBeChosenIsListed(words: [StaticString], expected: String) {
    #expect(self.words("\(anyOf: words)") == expected)
  }
}
