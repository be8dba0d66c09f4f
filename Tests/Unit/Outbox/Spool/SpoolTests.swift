import ModelDisk
import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct SpoolTests {
  // MARK: What is kept comes back

  @Test func whatIsKeptComesBackAfterARestartAsItWas() {
    let rig = SpoolRig()
    let text = InlineText("Bilge \"wet\" ✓")
    let values: [Value] = [
      .number(FixedPoint(-1234, decimals: 2)), .number(FixedPoint(.min, decimals: 9)),
      .boolean(true), .boolean(false), .text(text), .text(InlineText("")), .unknown, .unavailable,
    ]
    for (index, value) in values.enumerated() {
      rig.record(index, value, at: Int64(index) - 3, isTimeTrusted: index % 2 == 0)
    }
    let fix = Fix(
      mode: .threeDimensional, latitude: -33.123456789, longitude: 179.999999999,
      altitudeMeters: -2.5, speedMetersPerSecond: 0, trackDegrees: 359.9,
      horizontalErrorMeters: 3, verticalErrorMeters: 7,
      time: WallTime(nanoseconds: 1_700_000_000_123_456_789),
      notBefore: Instant(nanoseconds: 5))
    rig.spool.record(fix, isTimeTrusted: true)
    var plain = Fix.here(at: 1)
    rig.spool.record(plain, isTimeTrusted: false)
    rig.closeBatch()

    let taken = rig.restarted().takeAll()
    #expect(taken.map { $0.sequence } == (1...10).map { UInt64($0) })
    for (index, value) in values.enumerated() {
      #expect(taken[index].content == .reading(sensor: UInt8(index), value))
      #expect(taken[index].sensor == "sensor\(index)")
      #expect(taken[index].time == Int64(index) - 3)
      #expect(taken[index].isTimeTrusted == (index % 2 == 0))
    }
    var past = fix
    past.notBefore = Instant(nanoseconds: .min)
    plain.notBefore = Instant(nanoseconds: .min)
    #expect(taken[8].content == .fix(past))
    #expect(taken[8].time == 1_700_000_000_123_456_789)
    #expect(taken[9].content == .fix(plain))
    #expect(!taken[9].isTimeTrusted)
  }

  @Test(arguments: [Int64.min, -1, 0, 4_102_444_800_000_000_000, .max])
  func aClockThatIsYearsOffChangesNothing(time: Int64) {
    let rig = SpoolRig()
    rig.record(0, .boolean(true), at: time, isTimeTrusted: false)
    rig.record(0, .boolean(false), at: 0)
    rig.closeBatch()
    #expect(rig.restarted().takeAll().map { $0.time } == [time, 0])
  }

  @Test func whatIsAcknowledgedIsGoneAlsoAfterARestart() {
    let rig = SpoolRig()
    rig.keep(1...5)
    _ = rig.takeAll()
    rig.acknowledge()
    #expect(rig.takeAll().isEmpty)
    #expect(rig.isEmpty)
    let again = rig.restarted()
    #expect(again.takeAll().isEmpty)
    #expect(again.isEmpty)
    again.keep([6])
    #expect(again.takeAll().map { $0.sequence } == [6])
  }

  @Test func whatIsAcknowledgedWhileABatchIsWrittenRidesWithTheOneAfterIt() {
    let rig = SpoolRig()
    rig.keep(1...5)
    for _ in 1...3 { _ = rig.take() }
    let position = rig.spool.position
    rig.fault = { [unowned rig] action in
      if case .synchronize = action { rig.spool.acknowledged(upTo: position) }
      return nil
    }
    rig.keep([6])
    #expect(rig.restarted().takeAll().numbers == Array(1...6))
    rig.keep([7])
    #expect(rig.restarted().takeAll().numbers == Array(4...7))
  }

  // MARK: What it costs

  @Test func aBatchCostsNoMoreInANewSegmentThanTheFileItself() {
    let rig = SpoolRig(segment: 20 << 10)
    for start in stride(from: Int64(0), to: 6000, by: 100) {
      if start % 700 == 0 {
        for _ in 0..<40 { _ = rig.take() }
        rig.acknowledge()
      }
      rig.forgetActions()
      rig.keep(start..<start + 100)
      let creations = rig.actions.count { if case .create = $0 { true } else { false } }
      #expect(creations <= 1)
      #expect(rig.actions.count { if case .append = $0 { true } else { false } } <= 1 + creations)
      #expect(
        rig.actions.count { if case .synchronize = $0 { true } else { false } } <= 1 + creations)
      #expect(rig.actions.count { $0 == .synchronizeDirectory } == creations)
    }
    #expect(rig.disk.files.count > 5)
  }

  @Test func aFullSpoolIsOpenedByItsHeadersAndItsNewestSegment() {
    let disk = fullDisk()
    #expect(disk.files.count == 64)
    #expect(disk.files.values.reduce(0) { $0 + $1.count } > 60 << 20)
    let rig = SpoolRig(disk, cap: 80 << 20)
    #expect(rig.bytesRead <= 65 * SegmentHeader.byteCount + Spool.segmentByteCount)
    #expect(rig.chunks <= 64 + 40)
    rig.forgetActions()
    #expect(rig.take()?.number == 1)
    #expect(rig.chunks == 1)
  }

  /// Everything that is made once; what a page of it is not written to costs nothing.
  @Test func theMemoryOfAFullSpoolIsLessThanAMebibyte() {
    let sum =
      Spool.outgoingByteCountMax + SegmentReader.windowByteCount
      + Spool.memoryEntryCountMax * MemoryLayout<SpoolEntry>.stride
      + 2 * 256 * (32 + Spool.uniqueIDByteCountMax)
      + Spool.segmentCountMax * MemoryLayout<Segment>.stride
    #expect(sum <= 1 << 20)
  }

  /// As a spool leaves it that is nearly full; made from one segment.
  private func fullDisk() -> ModelDisk {
    let disk = ModelDisk()
    var files: [String: [UInt8]] = [:]
    var number: Int64 = 1
    for _ in 0..<64 {
      let salt = SegmentSalt(first: UInt64(number), device: .boat)
      var writer = SegmentWriter(salt)
      var names = SensorNames()
      names.set(0, to: [UInt8]("sensor0".utf8))
      var buffer = ByteBuffer(capacity: Spool.segmentByteCount + 1024)
      SegmentHeader(first: salt.first, acknowledged: 0, device: .boat).write(into: &buffer)
      while buffer.count < 1_030_000 {
        let entry = SpoolEntry(
          sequence: nil, time: WallTime(nanoseconds: number), isTimeTrusted: true,
          content: .reading(sensor: 0, .number(FixedPoint(number))))
        writer.write(entry, sequence: UInt64(number), names: names, into: &buffer)
        number += 1
      }
      files[SegmentFile(first: salt.first).text] = [UInt8](buffer.bytes)
    }
    disk.files = files
    return disk
  }

  // MARK: How much may be lost

  @Test func memoryOnlyWritesNothingAndGivesWhatItHas() {
    let rig = SpoolRig(durability: .memory)
    rig.keep(1...3000)
    #expect(rig.disk.files.isEmpty)
    #expect(rig.inMemory == Spool.memoryEntryCountMax)
    #expect(rig.losses.overflowed == 3000 - Spool.memoryEntryCountMax)
    let taken = rig.takeAll()
    #expect(taken.numbers.last == 3000)
    #expect(taken.allSatisfy { $0.sequence == nil && $0.sensor == "sensor0" })
    rig.acknowledge()
    #expect(rig.inMemory == 0)
  }
}
