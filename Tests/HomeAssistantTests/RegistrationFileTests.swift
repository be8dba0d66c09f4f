import Bytes
import Testing

@testable import HomeAssistant

@Suite struct RegistrationFileTests {
  /// The checksum was computed without the code under test.
  private static let file =
    #"{"version":1,"webhook_id":"0f33ab","secret":"\#(RegistrationAnswerTests.secret)","#
    + "\"checksum\":760742129}\n"

  private func reading(_ file: [UInt8]) -> Result<Registration, KeptFileError> {
    do throws(KeptFileError) { return .success(try Registration(file: file.span)) } catch {
      return .failure(error)
    }
  }

  private func error(_ file: [UInt8]) -> KeptFileError? {
    if case .failure(let error) = reading(file) { error } else { nil }
  }

  @Test func aRegistrationOfYearsAgoIsStillRead() throws {
    let registration = try reading([UInt8](Self.file.utf8)).get()
    #expect(registration.webhookID == [UInt8]("0f33ab"))
    #expect(written { registration.key.append(to: &$0) } == RegistrationAnswerTests.secret)
    #expect(written { registration.writeFile(into: &$0) } == Self.file)
  }

  @Test func theLongestRegistrationFitsItsFile() throws {
    let id = [UInt8](repeating: UInt8(ascii: "f"), count: Registration.webhookIDCountMax)
    let key = try #require(SecretKey(Oracle.keyBytes))
    let registration = try #require(Registration(webhookID: id, key: key))
    var file = ByteBuffer(capacity: Registration.fileByteCountMax)
    registration.writeFile(into: &file)
    let isOverflowed = file.isOverflowed
    #expect(!isOverflowed)
    let read = try reading([UInt8](file.bytes)).get()
    #expect(read.webhookID == id)
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

  @Test(arguments: ["version", "webhook_id", "secret", "checksum"])
  func aFileWithoutOneOfItsMembersIsDamaged(member: String) {
    let renamed = Self.file.split(separator: member, omittingEmptySubsequences: false)
      .joined(separator: "x")
    #expect(error([UInt8](renamed.utf8)) == .damaged)
  }

  @Test func theFileOfANewerHomewardIsNotCalledDamaged() {
    let newer = #"{"version":2,"sealed_webhook":{"a":[1,2]}}"#
    #expect(error([UInt8](newer.utf8)) == .unknownVersion(2))
  }
}
