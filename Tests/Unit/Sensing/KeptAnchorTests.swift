import Bytes
import Testing

@testable import Sensing

@Suite struct KeptAnchorTests {
  private static func kept(_ latitude: Double, _ longitude: Double) -> KeptAnchor {
    var kept = KeptAnchor()
    kept.setter = .line
    kept.isOutside = true
    kept.isLineActive = true
    var fix = TrackFilterTests.fix(at: 0)
    (fix.latitude, fix.longitude) = (latitude, longitude)
    kept.place = KeptAnchor.Place(fix)
    return kept
  }

  private func read(_ bytes: [UInt8]) -> KeptAnchor? { try? KeptAnchor(file: bytes.span) }

  @Test(arguments: [(53.4412345, -5.6254321), (90, 180), (-90, -180), (0, 0)])
  func whatIsKeptIsReadAgain(latitude: Double, longitude: Double) throws {
    let kept = Self.kept(latitude, longitude)
    let bytes = [UInt8](kept.file.bytes)
    #expect(bytes.count == KeptAnchor.fileByteCount)
    #expect(read(bytes) == kept)
    let place = try #require(read(bytes)?.place)
    let truth = EarthPoint(latitudeDegrees: latitude, longitudeDegrees: longitude)
    #expect(place.point.distanceMeters(to: truth) < 0.02)
  }

  @Test func theFormatIsThatOfItsTable() {
    #expect(
      [UInt8](Self.kept(1, -1).file.bytes).prefix(17) == [
        0x48, 0x57, 0x41, 0x4E, 1, 0, 1, 2, 0x80, 0x96, 0x98, 0, 0x80, 0x69, 0x67, 0xFF, 1,
      ])
    #expect(read([UInt8](KeptAnchor().file.bytes)) == KeptAnchor())
  }

  @Test func aTornOrDamagedFileIsNone() {
    let bytes = [UInt8](Self.kept(53, 5).file.bytes)
    for count in 0..<bytes.count { #expect(read([UInt8](bytes.prefix(count))) == nil) }
    #expect(read(bytes + [0]) == nil)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        #expect(read(damaged) == nil)
      }
    }
  }

  /// The checksum is right, and what stands there is not.
  @Test(arguments: [(6, 3), (7, 3), (11, 0x7F), (15, 0x7F), (16, 2)])
  func whatCannotBeIsDamage(place: Int, byte: UInt8) {
    var bytes = [UInt8](Self.kept(53, 5).file.bytes.extracting(0..<17))
    bytes[place] = byte
    #expect(throws: KeptFrameError.damaged) {
      try KeptAnchor(file: sealed(bytes).span)
    }
  }

  @Test func aFileThatHasNoRoomForAVersionIsDamaged() {
    let magic = [UInt8](KeptAnchor().file.bytes.extracting(0..<4))
    #expect(throws: KeptFrameError.damaged) { try KeptAnchor(file: sealed(magic).span) }
  }

  @Test func aNewerFileIsNotTakenForADamagedOne() {
    var bytes = [UInt8](Self.kept(53, 5).file.bytes.extracting(0..<16))
    bytes[4] = 2
    #expect(throws: KeptFrameError.unknownVersion(2)) {
      try KeptAnchor(file: sealed(bytes + [1, 2, 3]).span)
    }
  }
}
