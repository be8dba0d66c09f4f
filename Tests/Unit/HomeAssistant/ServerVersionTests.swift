import Bytes
import Testing

@testable import HomeAssistant

@Suite struct ServerVersionTests {
  /// From the oldest to the newest; the first three are none.
  private static let inOrder: [Text] = [
    "", "2026", "unknown", "0.118.5", "2021.9.7", "2021.10.0b0", "2021.10.0", "2025.4", "2025.4.4",
    "2025.4.10", "2025.12.1", "2026.5.4", "2026.6.0.dev202604300301", "2026.6.0.dev202605010301",
    "2026.6.0b1", "2026.6.0b2", "2026.6.0b10", "2026.6.0", "2026.6.1", "2026.11.0", "2027.1.0",
  ]

  @Test func developmentComesBeforeBetaAndBetaBeforeRelease() {
    for (index, left) in Self.inOrder.enumerated() {
      for (other, right) in Self.inOrder.enumerated() {
        let (left, right) = (ServerVersion(left), ServerVersion(right))
        #expect((left < right) == (index < other), "\(left.text) and \(right.text)")
        #expect((left == right) == (index == other), "\(left.text) and \(right.text)")
      }
    }
  }

  @Test func aTextThatIsNoVersionIsNotKeptInFull() {
    let version = ServerVersion(Text(String(repeating: "x", count: 63) + "é" + "2026.6.0"))
    #expect(version.text == Text(String(repeating: "x", count: 63)))
    #expect(version < ServerVersion("0.1.0"))
    let digits = ServerVersion(Text("2026.6.0b" + String(repeating: "1", count: 40_000)))
    #expect(digits.text.bytes.count == ServerVersion.textByteCountMax)
    #expect(digits < ServerVersion("0.1.0"))
  }

  @Test(
    arguments: [
      "", "2026", "2026.", "2026.6.", "2026.6.0.", "2026.6.0b", "2026.6.0.dev", "2026.6.0rc1",
      "2026.6.0b1x", "v2026.6.0", " 2026.6.0", "2026.6.0 ", "2026.6.0.1", "2026.-6.0", "2026.+6.0",
      "2026.6.99999999999999999999", "99999999999999999999.1", "2026..6", "2026.6.0b-1", "unknown",
      "२०२६.६.०", "\u{0}",
    ] as [Text])
  func whatIsNoVersionIsKeptAndIsOlderThanAll(text: Text) {
    let version = ServerVersion(text)
    #expect(version.text == text)
    #expect(version < ServerVersion("0.1.0"))
    for feature in ServerVersion.Feature.allCases { #expect(!version.supports(feature)) }
  }

  @Test(
    arguments: [
      (ServerVersion.Feature.pushConfirmation, "2021.9.7", "2021.10.0b0"),
      (.coalescedMessages, "2022.8.7", "2022.9.0b0"),
      (.meanTypes, "2025.10.4", "2025.11.0b0"),
      (.fractionalAccuracy, "2026.4.4", "2026.5.0b0"),
    ] as [(ServerVersion.Feature, Text, Text)])
  func aFeatureIsUsedFromItsFirstBetaOn(
    feature: ServerVersion.Feature, last without: Text, first with: Text
  ) {
    #expect(!ServerVersion(without).supports(feature))
    #expect(ServerVersion(with).supports(feature))
    #expect(ServerVersion("2026.11.0").supports(feature))
    #expect(ServerVersion("2027.1.0.dev202611280301").supports(feature))
  }

  /// A nightly of the month may not have the feature yet.
  @Test func aNightlyOfTheMonthIsNotTrustedToHaveIt() {
    #expect(!ServerVersion("2026.5.0.dev202603300301").supports(.fractionalAccuracy))
    #expect(ServerVersion("2026.6.0.dev202605010301").supports(.fractionalAccuracy))
  }
}
