import ModelDisk
import Bytes
import Sensing
import Testing

@testable import Outbox

/// A segment with every kind of record, and what a disk can do to it.
@Suite struct SegmentDamageTests {
  private let file: [UInt8]
  /// Where each record stands.
  private let records: [Range<Int>]
  /// Which numbers are taken from the file as it is.
  private let numbers: [UInt64]
  private let name = SegmentFile(first: 1).text

  init() {
    let rig = SpoolRig()
    rig.keep(1...4)
    rig.record(1, .boolean(true))
    rig.record(2, .text(InlineText("a\u{A5}b")))
    rig.record(2, .unknown)
    rig.spool.record(.here(at: 3), isTimeTrusted: true)
    rig.closeBatch()
    _ = rig.take()
    rig.acknowledge()
    rig.keep(5...7)
    file = rig.disk.files[name] ?? []
    records = Self.records(of: file)
    numbers = (2...11).map { UInt64($0) }
  }

  /// By the lengths in the file, not by the reader.
  private static func records(of file: [UInt8]) -> [Range<Int>] {
    var records: [Range<Int>] = []
    var start = SegmentHeader.byteCount
    while start < file.count {
      let end = start + 7 + Int(file[start + 1])
      records.append(start..<end)
      start = end
    }
    return records
  }

  private func rig(on file: [UInt8], device: DeviceFingerprint = .boat) -> SpoolRig {
    let disk = ModelDisk()
    disk.files = [name: file]
    return SpoolRig(disk, device: device)
  }

  /// The numbers of the readings and fixes that stand in these records.
  private func numbers(in records: some Sequence<Range<Int>>) -> [UInt64] {
    records.compactMap { record in
      [2, 3].contains(file[record.lowerBound + 2]) ? UInt64(file[record.lowerBound + 3]) + 1 : nil
    }
  }

  /// Made by another program, from the table.
  @Test func theBytesOnTheDiskNeverChange() {
    let rig = SpoolRig()
    rig.record(3, .number(FixedPoint(-2, decimals: 1)), at: 5)
    rig.closeBatch()
    let digits = Array("0123456789abcdef".utf8)
    let text = (rig.disk.files[name] ?? []).flatMap {
      [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
    }
    #expect(
      String(decoding: text, as: UTF8.self)
        == "485753500100000001000000000000000000000000000000080706050403020109000000000000009e9b06e2"
        + "a508010373656e736f723361a73073"
        + "a508010373656e736f723361a73073"
        + "a514020005000000000000008003feffffffffffffff013d1413c5")
  }

  /// Numbers begin with 1; what is below the first has none.
  @Test func aFileThatBeginsWithNothingIsNoneOfTheSpools() {
    #expect(SegmentFile(name: SegmentFile(first: 0).name.span) == nil)
    #expect(SegmentFile(name: SegmentFile(first: 1).name.span) == SegmentFile(first: 1))
    var header = ByteBuffer(capacity: SegmentHeader.byteCount)
    SegmentHeader(first: 0, acknowledged: 0, device: .boat).write(into: &header)
    let contents = SegmentHeader.read(header.bytes)
    #expect(contents == .foreign)
  }

  @Test func theFileIsReadAsItWasWritten() {
    #expect(records.count == 3 * 2 + 1 + 11)
    #expect(numbers(in: records) == [1] + numbers)
    #expect(rig(on: file).takeAll().map { $0.sequence ?? 0 } == numbers)
  }

  @Test func itsChecksumsBeginWithItsNumberAndItsDevice() {
    let device = DeviceFingerprint(low: 0x100F_0E0D_0C0B_0A09, high: 0x1817_1615_1413_1211)
    var checksum = CRC32C()
    checksum.update([UInt8](1...24).span)
    let salt = SegmentSalt(first: 0x0807_0605_0403_0201, device: device)
    #expect(salt.checksum.value == checksum.value)
  }

  /// A record whose checksum is right, as another version of the agent may write one.
  private func record(_ kind: UInt8, _ body: [UInt8]) -> SpoolRecord? {
    let salt = SegmentSalt(first: 1, device: .boat)
    return SpoolRecord(
      WrittenSegment.record(kind, body, salt).span, first: 1, salt: salt.checksum)
  }

  /// What it means is not known, so the agent does not guess it from the fields that it has.
  @Test func aRecordWithMoreOrFewerBytesThanItsFieldsIsNotRead() {
    let zeros: (Int) -> [UInt8] = { [UInt8](repeating: 0, count: $0) }
    let bodies: [(kind: UInt8, body: [UInt8])] = [
      (2, zeros(1 + 8) + [0, 0] + zeros(8 + 1)),
      (2, zeros(1 + 8) + [1, 0]),
      (2, zeros(1 + 8) + [5, 0]),
      (3, zeros(1 + 8) + [0] + zeros(8 + 8)),
      (4, zeros(8)),
      (6, zeros(8 + 8)),
    ]
    for (kind, body) in bodies {
      #expect(record(kind, body) != nil, "kind \(kind), \(body.count) bytes")
      #expect(record(kind, body + [0]) == nil, "kind \(kind), \(body.count + 1) bytes")
      #expect(
        record(kind, [UInt8](body.dropLast())) == nil, "kind \(kind), \(body.count - 1) bytes")
    }
  }

  @Test(arguments: [0x01, 0x80, 0xFF] as [UInt8])
  func aByteThatFlipsCostsTheRecordItStandsInAndNoNumberIsGivenAgain(flip: UInt8) {
    for place in file.indices {
      var damaged = file
      damaged[place] ^= flip
      let rig = rig(on: damaged)
      let whole = numbers(in: records.filter { !$0.contains(place) })
      let isMarkerHit = records.contains { $0.contains(place) && file[$0.lowerBound + 2] == 4 }
      #expect(
        rig.takeAll().map { $0.sequence ?? 0 } == (isMarkerHit ? whole : whole.filter { $0 > 1 }),
        "byte \(place)")
      let isLast = records.last?.contains(place) == true
      let isHeader = place < SegmentHeader.byteCount
      #expect((rig.losses.damagedByteCount > 0) == (!isLast && !isHeader), "byte \(place)")
      #expect((rig.losses.tornByteCount > 0) == isLast, "byte \(place)")
      #expect(rig.losses.setAside == 0)
      rig.keep([99])
      #expect((rig.takeAll().last?.sequence ?? 0) > 11, "byte \(place)")
    }
  }

  @Test func aFileThatIsCutGivesEveryRecordBeforeTheCut() {
    for length in 0...file.count {
      let rig = rig(on: Array(file.prefix(length)))
      let whole = records.filter { $0.upperBound <= length }
      let isMarked = whole.contains { file[$0.lowerBound + 2] == 4 }
      #expect(
        rig.takeAll().map { $0.sequence ?? 0 }
          == numbers(in: whole).filter { !isMarked || $0 > 1 }, "length \(length)")
      let end = max(SegmentHeader.byteCount, whole.last?.upperBound ?? 0)
      #expect(rig.losses.tornByteCount == max(0, length - end))
      #expect(rig.losses.damagedByteCount == 0)
      // What comes next is read behind the cut.
      rig.keep([99])
      #expect(rig.restarted().takeAll().numbers.last == 99, "length \(length)")
    }
  }

  @Test func zeroBytesAreNoRecordsAndStopNothing() {
    let zeros = [UInt8](repeating: 0, count: 5000)
    let middle = records[9].lowerBound
    let damaged = Array(file[..<middle]) + zeros + Array(file[middle...])
    let rig = rig(on: damaged + zeros)
    #expect(rig.takeAll().map { $0.sequence ?? 0 } == numbers)
    #expect(rig.losses.damagedByteCount == 5000)
    #expect(rig.losses.tornByteCount == 5000)
  }

  // MARK: Not ours

  @Test func whatIsNotOursIsSetAsideAndTheSpoolGoesOn() {
    let letter = [UInt8](repeating: UInt8(ascii: "a"), count: 300)
    for foreign in [letter, newerVersion(of: file)] { expectSetAside(rig(on: foreign), foreign) }
    expectSetAside(rig(on: file, device: .van), file, device: .van)
  }

  /// What it was about is lost with the disk's memory of it.
  @Test func whatComesBehindAMarkerOfUnknownNumbersIsNotTakenForAcknowledged() {
    let salt = SegmentSalt(first: 1, device: .boat)
    var segment = ByteBuffer(capacity: 200)
    SegmentHeader(first: 1, acknowledged: 0, device: .boat).write(into: &segment)
    segment.append(acknowledged: 1000, salt: salt.checksum)
    let rig = rig(on: [UInt8](segment.bytes))
    rig.keep([1])
    #expect(rig.restarted().takeAll().map { $0.sequence } == [1001])
  }

  private func expectSetAside(
    _ rig: SpoolRig, _ file: [UInt8], device: DeviceFingerprint = .boat
  ) {
    #expect(rig.disk.files == ["0000000000000001.aside": file])
    #expect(rig.losses.setAside == 1)
    #expect(rig.takeAll().isEmpty)
    rig.keep([1])
    let taken = rig.restarted(device: device).takeAll()
    #expect(taken.numbers == [1])
    #expect((taken.first?.sequence ?? 0) > 11)
    #expect(rig.disk.files["0000000000000001.aside"] == file)
  }

  @Test func oneThatWasSetAsideBeforeIsNotWrittenOver() {
    let disk = ModelDisk()
    disk.files = [name: file, "0000000000000001.aside": [1]]
    let rig = SpoolRig(disk, device: .van)
    #expect(disk.files == [name: file, "0000000000000001.aside": [1]])
    rig.keep([1])
    #expect(rig.restarted(device: .van).takeAll().numbers == [1])
  }

  @Test(arguments: [
    "", "spool", "0000000000000001", "000000000000000A.spool", "2000000000000001.spool",
    "0000000000000001.spool2", "00000000000000001.spool", "000000000000000g.spool",
  ])
  func otherFilesAreLeftAlone(name: String) {
    let disk = ModelDisk()
    disk.files = [name: [1, 2, 3]]
    let rig = SpoolRig(disk)
    rig.keep([1])
    #expect(disk.files[name] == [1, 2, 3])
    #expect(rig.losses == Spool.Losses())
  }
}

/// The numbers of the files, of any size.
@Suite struct LittleEndianTests {
  private func groups(_ bytes: [UInt8]) -> UInt64? {
    var fields = FieldReader(bytes.span)
    return fields.groups()
  }

  private func written(_ number: UInt64) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 16)
    buffer.append(groups: number)
    return [UInt8](buffer.bytes)
  }

  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 62, 1 << 63, .max] as [UInt64])
  func aNumberInGroupsComesBack(number: UInt64) {
    #expect(groups(written(number)) == number)
  }

  @Test(arguments: [(127, 1), (128, 2), (1 << 62, 9), (.max, 10)] as [(UInt64, Int)])
  func aGroupHoldsSevenBits(number: UInt64, count: Int) {
    #expect(written(number).count == count)
  }

  /// Foreign bytes: nothing of them may be taken for a smaller number.
  @Test func aNumberThatIsTooLargeOrBreaksOffIsNone() {
    let full = [UInt8](repeating: 0xFF, count: 9)
    #expect(groups(full + [1]) == .max)
    #expect(groups(full + [2]) == nil)
    #expect(groups(full + [0x81, 0]) == nil)
    #expect(groups(full) == nil)
    #expect(groups([]) == nil)
  }
}
