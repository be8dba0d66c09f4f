import Bytes
import Sensing
import Testing

@testable import Outbox

/// What a reader that changes nothing finds in the files that a spool has written.
@Suite struct SpoolArchiveTests {
  /// Files in memory, read as they are at that moment.
  struct Reading {
    var entries: [SpoolRig.Taken] = []
    var waiting: [UInt64] = []
    var devices: [Int?] = []
    var segments: [ArchivedSegment] = []
    var deviceCount = 0
    var acknowledged: UInt64 = 0

    var numbers: [Int64] { entries.numbers }
    var conditions: [ArchivedSegment.Condition] { segments.map { $0.condition } }
  }

  static func read(
    _ files: [String: [UInt8]],
    meanwhile: (Int, inout [String: [UInt8]]) -> Void = { _, _ in },
    chunk: Int = .max, fault: (String, Int) -> Int32? = { _, _ in nil }
  ) -> Reading {
    var files = files
    var archive = SpoolArchive()
    for (name, bytes) in files {
      guard let file = SegmentFile(name: [UInt8](name.utf8).span) else { continue }
      archive.fileFound(file, byteCount: bytes.count)
    }
    var reading = Reading()
    var readCount = 0
    while let step = archive.next() {
      switch step {
      case .entry(let entry, let isAcknowledged):
        reading.entries.append(
          SpoolRig.Taken(
            sequence: entry.sequence, time: entry.time.nanoseconds,
            isTimeTrusted: entry.isTimeTrusted,
            sensor: String(decoding: archive.uniqueID(of: entry), as: UTF8.self),
            content: entry.content))
        reading.devices.append(archive.device)
        if !isAcknowledged, let sequence = entry.sequence { reading.waiting.append(sequence) }
      case .read(let file, let offset, let byteCountMax):
        meanwhile(readCount, &files)
        readCount += 1
        if let code = fault(file.text, offset) {
          archive.failed(DiskFailure(code: code))
        } else if let bytes = files[file.text] {
          let part = bytes.dropFirst(offset).prefix(min(byteCountMax, offset == 0 ? .max : chunk))
          archive.fill { free in
            for (place, byte) in part.enumerated() { free[place] = byte }
            return part.count
          }
        } else {
          archive.fileVanished()
        }
      }
    }
    reading.segments = archive.segments
    reading.deviceCount = archive.deviceCount
    reading.acknowledged = archive.acknowledgedSequence
    return reading
  }

  /// Several segments of 50 numbers each, and what the spool itself would take of them.
  private func rig(_ count: Int64 = 400, device: DeviceFingerprint = .boat) -> SpoolRig {
    let rig = SpoolRig(device: device, segment: 4096)
    for start in stride(from: Int64(0), to: count, by: 50) { rig.keep(start..<start + 50) }
    return rig
  }

  private func name(_ first: UInt64, _ kind: SegmentFile.Kind = .segment) -> String {
    SegmentFile(first: first, kind: kind).text
  }

  // MARK: What is there

  @Test func everythingIsFoundThatTheSpoolItselfTakes() {
    let rig = SpoolRig()
    rig.keep(1...4)
    rig.record(1, .boolean(true), at: 5, isTimeTrusted: false)
    rig.record(2, .text(InlineText("a\u{A5}b")))
    rig.record(2, .unavailable)
    rig.spool.record(.here(at: 3), isTimeTrusted: true)
    rig.closeBatch()
    let taken = rig.restarted().takeAll()
    #expect(taken.count == 8)
    for chunk in [1, 7, 100, Int.max] {
      #expect(Self.read(rig.disk.files, chunk: chunk).entries == taken, "\(chunk)")
    }
  }

  @Test func segmentsAreReadInOrderAndCounted() {
    let rig = rig()
    let reading = Self.read(rig.disk.files)
    #expect(reading.numbers == Array(0..<400))
    #expect(reading.segments.count == rig.disk.files.count)
    #expect(reading.segments.count > 2)
    #expect(reading.conditions.allSatisfy { $0 == .intact })
    for segment in reading.segments {
      #expect(segment.byteCount == rig.disk.files[segment.file.text]?.count)
      #expect(segment.sequences?.count == segment.entryCount)
      #expect(segment.damagedByteCount == 0 && segment.tornByteCount == 0)
    }
    #expect(reading.segments.reduce(0) { $0 + $1.entryCount } == 400)
    #expect(reading.segments.first?.times?.lowerBound == WallTime(nanoseconds: 0))
    #expect(reading.segments.last?.times?.upperBound == WallTime(nanoseconds: 399))
  }

  @Test func aTimeOfAClockThatWasNotSetIsInNoSpan() {
    let rig = SpoolRig()
    rig.record(0, .boolean(true), at: 1, isTimeTrusted: false)
    rig.record(0, .boolean(false), at: 5)
    rig.record(0, .boolean(true), at: 9, isTimeTrusted: false)
    rig.closeBatch()
    let five = WallTime(nanoseconds: 5)
    #expect(Self.read(rig.disk.files).segments.first?.times == five...five)
  }

  // MARK: What Home Assistant has

  @Test func whatIsAcknowledgedIsToldFromWhatWaits() {
    let rig = SpoolRig()
    rig.keep(1...4)
    _ = rig.take()
    _ = rig.take()
    rig.acknowledge()
    // The acknowledgement is written behind what it is about.
    rig.keep(5...7)
    let reading = Self.read(rig.disk.files)
    #expect(reading.numbers == Array(1...7))
    #expect(reading.waiting == Array(3...7))
    #expect(reading.acknowledged == 2)
    #expect(reading.segments.first?.waitingCount == 5)
  }

  @Test func anAcknowledgementInALaterSegmentCounts() {
    let rig = rig(0)
    for start in stride(from: Int64(0), to: 150, by: 50) { rig.keep(start..<start + 50) }
    for _ in 0..<7 { _ = rig.take() }
    rig.acknowledge()
    rig.spool.rewind()
    for start in stride(from: Int64(150), to: 400, by: 50) { rig.keep(start..<start + 50) }
    let reading = Self.read(rig.disk.files)
    #expect(reading.numbers.count == 400)
    #expect(reading.waiting == Array(8...400))
  }

  // MARK: While the agent runs

  @Test func aFileThatVanishesMeanwhileIsNoError() {
    let rig = rig()
    let first = rig.disk.files.keys.sorted()[0]
    let second = rig.disk.files.keys.sorted()[1]
    let whole = Self.read(rig.disk.files)
    let lost = Set([first, second])
    // Before its header is read, and behind it.
    let reading = Self.read(
      rig.disk.files,
      meanwhile: { count, files in
        if count == 0 { files[first] = nil }
        if count == files.count { files[second] = nil }
      })
    let left = whole.segments.filter { !lost.contains($0.file.text) }
    #expect(reading.entries.count == left.reduce(0) { $0 + $1.entryCount })
    #expect(reading.numbers.last == 399)
    let vanished = reading.segments.filter { $0.condition == .vanished }
    #expect(Set(vanished.map { $0.file.text }) == lost)
  }

  @Test func aFileThatGrowsMeanwhileIsReadAsFarAsItHasCome() {
    let rig = rig(50)
    let before = rig.disk.files
    rig.keep(50..<60)
    let after = rig.disk.files
    let reading = Self.read(before, meanwhile: { count, files in if count == 3 { files = after } })
    #expect(reading.numbers == Array(0..<60))
    #expect(reading.segments.first?.tornByteCount == 0)
  }

  /// Of an earlier agent, whose power went.
  @Test func aCopyThatHasNotTakenItsPlaceHoldsNothingOfItsOwn() {
    var files = rig(100).disk.files
    files[name(1, .thinned)] = files[name(1)]
    let reading = Self.read(files)
    #expect(reading.numbers == Array(0..<100))
  }

  // MARK: Damage

  @Test func aDamagedHeaderCostsNothingWhereANeighbourSaysWhoseItIs() {
    let rig = rig()
    for file in rig.disk.files.keys.sorted() {
      var files = rig.disk.files
      files[file]?[30] ^= 1
      let reading = Self.read(files)
      #expect(reading.numbers == Array(0..<400), "\(file)")
      #expect(reading.segments.first { $0.file.text == file }?.condition == .headless, "\(file)")
    }
  }

  @Test func aloneWithADamagedHeaderNothingIsKnown() {
    var files = rig(50).disk.files
    files[name(1)]?[30] ^= 1
    let reading = Self.read(files)
    #expect(reading.numbers == [])
    #expect(reading.conditions == [.unknown])
    #expect(reading.segments.first?.byteCount == files[name(1)]?.count)
  }

  @Test func damageCostsOneEntryAndIsCounted() {
    let rig = rig(50)
    let file = rig.disk.files[name(1)] ?? []
    for place in stride(from: SegmentHeader.byteCount + 40, to: file.count - 30, by: 13) {
      var damaged = file
      damaged[place] ^= 0x40
      let reading = Self.read([name(1): damaged])
      #expect(reading.entries.count == 49, "byte \(place)")
      #expect(reading.segments.first?.damagedByteCount ?? 0 > 0, "byte \(place)")
    }
  }

  @Test func aTornEndIsCountedAndEverythingBeforeItRead() {
    let rig = rig(50)
    let file = rig.disk.files[name(1)] ?? []
    let reading = Self.read([name(1): Array(file.dropLast(5))])
    #expect(reading.numbers == Array(0..<49))
    #expect(reading.segments.first?.tornByteCount ?? 0 > 0)
    #expect(reading.segments.first?.damagedByteCount == 0)
  }

  @Test func aReadingThatHasLostItsSensorIsCountedAndLeftOut() {
    let rig = rig(50)
    let nameByteCount = 7 + 1 + "sensor0".utf8.count
    var file = rig.disk.files[name(1)] ?? []
    file.removeSubrange(SegmentHeader.byteCount..<SegmentHeader.byteCount + 2 * nameByteCount)
    let reading = Self.read([name(1): file])
    #expect(reading.entries.isEmpty)
    #expect(reading.segments.first?.namelessCount == 50)
  }

  @Test func aFileThatTheDiskDoesNotReadHidesNoOther() {
    let rig = rig()
    let bad = rig.disk.files.keys.sorted()[1]
    let reading = Self.read(
      rig.disk.files, fault: { file, offset in file == bad && offset > 0 ? 5 : nil })
    #expect(reading.segments[1].condition == .unreadable(DiskFailure(code: 5)))
    #expect(reading.numbers.first == 0 && reading.numbers.last == 399)
    #expect(reading.entries.count < 400)
  }

  // MARK: Set aside

  /// The agent goes on behind it: what it acknowledges says nothing of what it could not read.
  @Test func whatWasSetAsideWaitsWhateverIsAcknowledgedBehindIt() {
    let rig = rig(0)
    rig.keep(0..<20)
    for _ in 0..<5 { _ = rig.take() }
    rig.acknowledge()
    // Behind what it is about, and in the same file.
    for start in stride(from: Int64(20), to: 400, by: 50) { rig.keep(start..<min(start + 50, 400)) }
    let again = SpoolRig(rig.disk, segment: 4096)
    again.fault = { action in
      if case .read(SegmentFile(first: 1), _, _) = action { 5 } else { nil }
    }
    _ = again.takeAll()
    while again.deadline != nil {
      again.sleepUntilDeadline()
      _ = again.takeAll()
    }
    again.acknowledge()
    let reading = Self.read(again.disk.files)
    let aside = reading.segments.last
    #expect(aside?.isAside == true && aside?.condition == .intact)
    #expect(aside?.entryCount ?? 0 > 50)
    #expect(aside?.waitingCount == (aside?.entryCount ?? 0) - 5)
    #expect(reading.waiting == Array(6...UInt64(aside?.entryCount ?? 6)))
    #expect(reading.acknowledged >= 400)
  }

  // MARK: Not ours

  @Test func anotherVersionIsNamedAndNotRead() {
    var files = rig(100).disk.files
    files[name(7, .aside)] = newerVersion(of: files[name(1)] ?? [])
    let reading = Self.read(files)
    #expect(reading.numbers == Array(0..<100))
    #expect(reading.segments.last?.condition == .otherVersion)
    #expect(reading.segments.last?.isAside == true)
  }

  @Test func theFilesOfAnotherDeviceAreReadAndStandTogether() {
    var files = rig(100).disk.files
    let van = SpoolRig(device: .van)
    van.keep(1000..<1010)
    _ = van.take()
    van.acknowledge()
    van.keep(1010..<1011)
    files[name(1, .aside)] = van.disk.files[name(1)]
    let reading = Self.read(files)
    #expect(reading.numbers == Array(0..<100) + Array(1000..<1011))
    #expect(reading.devices == Array(repeating: 0, count: 100) + Array(repeating: 1, count: 11))
    #expect(reading.deviceCount == 2)
    // What is acknowledged of one says nothing of the other.
    #expect(reading.acknowledged == 0)
    #expect(reading.waiting.count == 110)
  }

  @Test func filesOfTwoDevicesInOneFolderAreNotMixed() {
    var files = rig(400).disk.files
    let van = SpoolRig(device: .van)
    van.keep(1000..<1010)
    // Between two of the boat.
    files[name(2)] = van.disk.files[name(1)]
    #expect(Self.read(files).numbers == Array(0..<400) + Array(1000..<1010))
  }

  @Test func whatIsNoFileOfASpoolIsLeftAlone() {
    var files = rig(50).disk.files
    files[name(9)] = [UInt8](repeating: UInt8(ascii: "a"), count: 300)
    files["notes.txt"] = [1, 2, 3]
    files["000000000000000A.spool"] = files[name(1)]
    files["0000000000000001.spool~"] = files[name(1)]
    let reading = Self.read(files)
    #expect(reading.numbers == Array(0..<50))
    #expect(reading.conditions == [.intact, .unknown])
  }

  @Test func anEmptyDirectoryIsEmpty() {
    let reading = Self.read([:])
    #expect(reading.entries.isEmpty && reading.segments.isEmpty && reading.acknowledged == 0)
  }
}
