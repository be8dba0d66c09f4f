import Bytes
import Testing

@testable import HomeAssistant

@Suite struct RegistrationFileTests {
  // The checksums were computed without the code under test.
  private static let firstFile =
    #"{"version":1,"webhook_id":"0f33ab","secret":"\#(RegistrationAnswerTests.secret)","#
    + "\"checksum\":760742129}\n"
  private static let secondFile =
    #"{"version":2,"webhook_id":"0f33ab","secret":"\#(RegistrationAnswerTests.secret)","#
    + #""cloudhook_url":"https://hooks.nabu.casa/gAAAAB","#
    + #""remote_ui_url":"https://x.ui.nabu.casa","#
    + #""told":"00112233445566778899aabbccddeeff","checksum":2935759433}"# + "\n"
  private static let file =
    #"{"version":3,"webhook_id":"0f33ab","secret":"\#(RegistrationAnswerTests.secret)","#
    + #""cloudhook_url":"https://hooks.nabu.casa/gAAAAB","#
    + #""remote_ui_url":"https://x.ui.nabu.casa","#
    + #""told":"00112233445566778899aabbccddeeff","#
    + #""device_id":"0123456789abcdef0123456789abcdef","board":"10000000abcdef01","#
    + "\"checksum\":4185394046}\n"
  private static let bareFile =
    #"{"version":3,"webhook_id":"0f33ab","secret":"\#(RegistrationAnswerTests.secret)","#
    + #""cloudhook_url":"","remote_ui_url":"","told":"","device_id":"","board":"","#
    + #""checksum":760742129}"# + "\n"
  private static let plainFile =
    #"{"version":3,"webhook_id":"0f33ab","secret":"","cloudhook_url":"","remote_ui_url":"","#
    + #""told":"","device_id":"","board":"","checksum":2586103982}"# + "\n"

  private func reading(_ file: [UInt8]) -> Result<Registration, KeptFileError> {
    do throws(KeptFileError) { return .success(try Registration(file: file.span)) } catch {
      return .failure(error)
    }
  }

  private func error(_ file: [UInt8]) -> KeptFileError? {
    if case .failure(let error) = reading(file) { error } else { nil }
  }

  @Test func aRegistrationOfYearsAgoIsStillRead() throws {
    let registration = try reading([UInt8](Self.firstFile.utf8)).get()
    #expect(registration.webhookID == [UInt8]("0f33ab"))
    #expect(written { registration.append(keyTo: &$0) } == RegistrationAnswerTests.secret)
    #expect(written { registration.writeFile(into: &$0) } == Self.bareFile)
  }

  @Test func aFileOfTheFirstVersionKnowsNothingThatItsChecksumDoesNot() throws {
    let extended =
      #"{"cloudhook_url":"https://evil.example","told":"x","# + Self.firstFile.dropFirst()
    let registration = try reading([UInt8](extended.utf8)).get()
    #expect(registration.cloudhookURL == nil)
    #expect(registration.toldFingerprint == nil)
    // CRC-32C of the id alone.
    let keyless =
      #"{"version":1,"webhook_id":"0f33ab","secret":"","checksum":2586103982}"#
    #expect(error([UInt8](keyless.utf8)) == .damaged)
  }

  @Test func allThatIsKnownOfARegistrationOutlivesARestart() throws {
    let registration = try reading([UInt8](Self.file.utf8)).get()
    #expect(registration.webhookID == [UInt8]("0f33ab"))
    #expect(written { registration.append(keyTo: &$0) } == RegistrationAnswerTests.secret)
    #expect(registration.cloudhookURL == "https://hooks.nabu.casa/gAAAAB")
    #expect(registration.remoteUIURL == "https://x.ui.nabu.casa")
    #expect(registration.toldFingerprint == "00112233445566778899aabbccddeeff")
    #expect(registration.deviceID == "0123456789abcdef0123456789abcdef")
    #expect(registration.board == "10000000abcdef01")
    #expect(written { registration.writeFile(into: &$0) } == Self.file)
  }

  @Test func aFileOfTheSecondVersionKnowsNeitherItsDeviceNorItsBoard() throws {
    let extended = #"{"device_id":"x","board":"y","# + Self.secondFile.dropFirst()
    for file in [Self.secondFile, extended] {
      let registration = try reading([UInt8](file.utf8)).get()
      #expect(registration.toldFingerprint == "00112233445566778899aabbccddeeff")
      #expect(registration.deviceID == nil && registration.board == nil)
    }
  }

  @Test func aPlainRegistrationStaysPlainAndASealedOneSealed() throws {
    let plain = try reading([UInt8](Self.plainFile.utf8)).get()
    guard case .plain = plain.protection else {
      Issue.record("a plain registration got a key")
      return
    }
    #expect(plain.isPlain)
    #expect(written { plain.writeFile(into: &$0) } == Self.plainFile)
    // One that lost its secret is not taken for a plain one.
    let robbed = Self.bareFile.replacing(
      #""secret":"\#(RegistrationAnswerTests.secret)","#, with: "")
    #expect(error([UInt8](robbed.utf8)) == .damaged)
  }

  @Test func theLongestRegistrationFitsItsFile() throws {
    let id = [UInt8](repeating: UInt8(ascii: "f"), count: Registration.webhookIDCountMax)
    let key = try #require(SecretKey(Oracle.keyBytes))
    var registration = try #require(Registration(webhookID: id, protection: .sealed(key)))
    let path = String(repeating: "/", count: Registration.urlByteCountMax - "https://h".count)
    let url = Text("https://h" + path)
    var other = registration
    let isTaken = other.setAddresses(cloudhook: Text("https://h/" + path), remoteUI: nil)
    #expect(!isTaken)
    #expect(url.bytes.count == 512)
    let isNew = registration.setAddresses(cloudhook: url, remoteUI: url)
    #expect(isNew)
    registration.toldFingerprint = Text(fingerprint(of: [], purpose: "test"))
    registration.deviceID = registration.toldFingerprint
    registration.board = Text([UInt8](repeating: 1, count: 256))
    var file = ByteBuffer(capacity: Registration.fileByteCountMax)
    registration.writeFile(into: &file)
    let isOverflowed = file.isOverflowed
    #expect(!isOverflowed)
    let read = try reading([UInt8](file.bytes)).get()
    #expect(read.webhookID == id)
    #expect(read.cloudhookURL == url)
  }

  @Test func aFileThatAnEditorTouchedIsStillGood() {
    let spaced = Self.file.split(separator: ",").joined(separator: " ,\n  ") + "\n"
    #expect(error([UInt8](spaced.utf8)) == nil)
    let commented = #"{"comment":"the boat's","# + Self.file.dropFirst()
    #expect(error([UInt8](commented.utf8)) == nil)
  }

  @Test func aSingleFlippedBitIsNeverAnotherKey() {
    for flipped in flips(of: [UInt8](Self.file.utf8)) {
      #expect(error(flipped) != nil, "\(String(decoding: flipped, as: UTF8.self))")
    }
  }

  @Test func aFileThatThePowerCutShortIsDamaged() {
    // All but the line end, without which nothing is missing.
    for cut in truncations(of: [UInt8](Self.file.utf8)).dropLast() {
      #expect(error(cut) == .damaged, "\(cut.count) bytes")
    }
    #expect(error([UInt8](repeating: 0, count: 200)) == .damaged)
  }

  @Test(arguments: [
    "version", "webhook_id", "secret", "cloudhook_url", "remote_ui_url", "told", "device_id",
    "board", "checksum",
  ])
  func aFileWithoutOneOfItsMembersIsDamaged(member: String) {
    let renamed = Self.file.split(separator: member, omittingEmptySubsequences: false)
      .joined(separator: "x")
    #expect(error([UInt8](renamed.utf8)) == .damaged)
  }

  @Test func theFileOfANewerHomewardIsNotCalledDamaged() {
    let newer = #"{"version":4,"sealed_webhook":{"a":[1,2]}}"#
    #expect(error([UInt8](newer.utf8)) == .unknownVersion(4))
  }
}

@Suite struct FingerprintTests {
  @Test func partsCannotBeConfused() {
    let ab = [UInt8]("ab")
    let a = [UInt8]("a")
    let b = [UInt8]("b")
    let long = [UInt8](repeating: 255, count: 256)
    let all: [[[UInt8]]] = [
      [], [[]], [[], []], [ab], [a, b], [b, a], [[], ab], [ab, []], [long],
      [[], [UInt8](long.dropFirst())], [long, []], [[], long],
    ]
    let fingerprints = all.map { fingerprint(of: $0, purpose: "test") }
    for (index, one) in fingerprints.enumerated() {
      for other in fingerprints[..<index] { #expect(one != other, "part \(index)") }
    }
  }

  @Test func onePurposeDoesNotGiveAnotherAway() {
    let parts = [[UInt8]("10000000abcdef01")]
    #expect(fingerprint(of: parts, purpose: "device id") != fingerprint(of: parts, purpose: "x"))
    // The border between the purpose and the first part is kept as well.
    #expect(
      fingerprint(of: [[UInt8]("b")], purpose: "a")
        != fingerprint(of: [], purpose: "a\u{1}\u{0}\u{0}\u{0}b"))
  }

  /// Another one would make every device of every user a new device in Home Assistant.
  @Test func theFingerprintOfABoardIsTheSameForEver() {
    let parts = [[UInt8]("10000000abcdef01"), [UInt8]("0123456789abcdef0123456789abcdef")]
    #expect(
      String(decoding: fingerprint(of: parts, purpose: "device id"), as: UTF8.self)
        == "1c5ebde0ad694cdde1b417f0ff72eda7")
  }
}
