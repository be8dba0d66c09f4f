import Bytes

/// What is there at the start: every header is read, and the newest segment to its end. That is
/// all, so that a full spool costs little more time than a small one.
///
/// Invariants:
/// 1. What it finds of the numbers is its own until it is over: nothing is given, acknowledged or
///    taken by what is known of half the files.
/// 2. A number that any file may hold is reserved, whether or not the file can be read.
struct SpoolOpening {
  private enum Step {
    case listing
    case readingHeader(Int)
    case settingAside(Int)
    case scanning
    case cutting(Int)
    case over
  }

  private let device: DeviceFingerprint
  private let forgotten: SequenceSet.End
  private var step = Step.listing
  private(set) var numbers = GivenNumbers()
  /// What stands on the disk as acknowledged.
  private(set) var persisted = SequenceSet()
  /// Whether the newest segment takes more.
  private(set) var isNewestOpen = false

  init(_ device: DeviceFingerprint, forgetting forgotten: SequenceSet.End) {
    self.device = device
    self.forgotten = forgotten
  }

  var isOver: Bool { if case .over = step { true } else { false } }
  var isListing: Bool { if case .listing = step { true } else { false } }

  func nextAction(_ directory: SegmentDirectory, _ records: borrowing SegmentReader) -> Spool.Action
  {
    switch step {
    case .listing: .list
    case .readingHeader(let index):
      .read(directory[index].file, offset: 0, byteCountMax: SegmentHeader.byteCount)
    case .settingAside(let index):
      .setAside(directory[index].file, as: directory[index].asideFile)
    case .scanning: records.nextChunk(of: directory.newest)
    case .cutting(let byteCount): .truncate(directory.newest.file, byteCount: byteCount)
    case .over: preconditionFailure("there is nothing more to look at")
    }
  }

  // MARK: Events

  mutating func performed(
    _ directory: inout SegmentDirectory, _ records: inout SegmentReader, _ ledger: inout SpoolLedger
  ) {
    switch step {
    case .listing:
      directory.sort()
      readHeader(0, directory, &records)
    case .readingHeader(let index): headerRead(index, &directory, &records)
    case .settingAside(let index):
      ledger.losses.setAside += 1
      leaveOut(index, &directory, &records)
    case .scanning: scan(&directory, &records)
    case .cutting(let byteCount):
      ledger.losses.tornByteCount += directory.newest.byteCount - byteCount
      directory.newest.ended(at: byteCount)
      step = .over
    case .over: preconditionFailure("nothing was asked for")
    }
  }

  mutating func failed(
    _ directory: inout SegmentDirectory, _ records: inout SegmentReader, _ ledger: inout SpoolLedger
  ) {
    switch step {
    case .listing: directory.removeAll()
    case .readingHeader(let index):
      // What stands in the segment is looked at when its turn comes.
      numbers.reserve(below: directory[index].numbersEnd)
      readHeader(index + 1, directory, &records)
    case .settingAside(let index):
      ledger.losses.setAside += 1
      leaveOut(index, &directory, &records)
    case .scanning:
      // The disk does not say what stands in the newest segment; nothing is added to it.
      numbers.reserve(below: directory.newest.numbersEnd)
      isNewestOpen = false
      step = .over
    case .cutting:
      isNewestOpen = false
      step = .over
    case .over: preconditionFailure("nothing was asked for")
    }
  }

  // MARK: The headers

  private mutating func readHeader(
    _ index: Int, _ directory: SegmentDirectory, _ records: inout SegmentReader
  ) {
    guard index < directory.count else { return scanNewest(directory, &records) }
    records.clear()
    step = .readingHeader(index)
  }

  private mutating func headerRead(
    _ index: Int, _ directory: inout SegmentDirectory, _ records: inout SegmentReader
  ) {
    let segment = directory[index]
    guard segment.byteCount >= SegmentHeader.byteCount else {
      // The power went before there was a header. Its number goes with it.
      numbers.reserve(below: segment.first + 1)
      directory.leave(segment.file)
      return leaveOut(index, &directory, &records)
    }
    switch SegmentHeader.read(records.window.bytes) {
    case .valid(let header):
      guard header.device == device, header.first == segment.first, !segment.isTooLarge
      else { return setAside(index, directory) }
      directory[index].headerRead(header)
      persisted.insert(0...header.acknowledged, forgetting: forgotten)
      readHeader(index + 1, directory, &records)
    case .unreadable where !segment.isTooLarge: readHeader(index + 1, directory, &records)
    case .foreign, .unreadable: setAside(index, directory)
    }
  }

  /// Keeps the numbers of the file from being given again, and the file from being touched.
  private mutating func setAside(_ index: Int, _ directory: SegmentDirectory) {
    numbers.reserve(below: directory[index].numbersEnd)
    step = .settingAside(index)
  }

  private mutating func leaveOut(
    _ index: Int, _ directory: inout SegmentDirectory, _ records: inout SegmentReader
  ) {
    directory.remove(index)
    readHeader(index, directory, &records)
  }

  // MARK: The newest

  private mutating func scanNewest(_ directory: SegmentDirectory, _ records: inout SegmentReader) {
    isNewestOpen = false
    guard directory.count > 0 else { return step = .over }
    numbers.reserve(below: directory.newest.first)
    records.begin(SegmentSalt(first: directory.newest.first, device: device))
    if directory.newest.byteCount <= SegmentHeader.byteCount {
      scanEnded(directory, records)
    } else {
      step = .scanning
    }
  }

  private mutating func scan(
    _ directory: inout SegmentDirectory, _ records: inout SegmentReader
  ) {
    if records.isAtEnd { directory.newest.ended(at: records.readOffset) }
    let isWhole = records.readOffset >= directory.newest.byteCount
    while let record = records.next(isWhole: isWhole) {
      switch record {
      case .entry(let entry):
        if let sequence = entry.sequence { numbers.reserve(below: sequence + 1) }
      case .acknowledged(let sequence): persisted.insert(0...sequence, forgetting: forgotten)
      case .acknowledgedRanges(let ranges): persisted.formUnion(ranges, forgetting: forgotten)
      case .sensor: break
      }
    }
    if isWhole { scanEnded(directory, records) } else { records.makeRoom() }
  }

  private mutating func scanEnded(
    _ directory: SegmentDirectory, _ records: borrowing SegmentReader
  ) {
    let newest = directory.newest
    let tornByteCount = max(0, newest.byteCount - records.endOfRecords)
    // What cannot be read had numbers as well, and each took more than a byte.
    numbers.skip(
      UInt64(records.damagedByteCount + tornByteCount), acknowledged: SequenceSet())
    isNewestOpen = newest.isHeaderReadable && newest.thinnings == 0
    if newest.isGarbage(as: records) { return setAside(directory.newestIndex, directory) }
    step = tornByteCount > 0 && isNewestOpen ? .cutting(records.endOfRecords) : .over
  }
}
