import Bytes

/// What is there at the start: every header is read, and the newest segment to its end. That is
/// all, so that a full spool costs little more time than a small one.
///
/// Invariants:
/// 1. What it finds of the numbers is its own until it is over: nothing is given, acknowledged or
///    taken by what is known of half the files.
/// 2. A number that any file may hold is reserved, whether or not the file can be read.
/// 3. What is found in the newest segment, and nothing else, is on the disk for certain before it
///    is over: the process before may have been killed between a write, or a cut, and its `fsync`.
final class SpoolOpening {
  private enum Step {
    case listing
    case readingHeader(Int)
    case settingAside(Int)
    case scanning
    case cutting(Int)
    case synchronizing
    case over
  }

  private let records: SegmentReader
  private let directory: SegmentDirectory
  private let ledger: SpoolLedger
  private var step = Step.listing
  private(set) var numbers = GivenNumbers()
  /// What stands on the disk as acknowledged.
  private(set) var persisted = SequenceSet()
  /// Whether the newest segment takes more.
  private(set) var isNewestOpen = false

  init(_ records: SegmentReader, _ directory: SegmentDirectory, _ ledger: SpoolLedger) {
    self.records = records
    self.directory = directory
    self.ledger = ledger
  }

  var isOver: Bool { if case .over = step { true } else { false } }
  var isListing: Bool { if case .listing = step { true } else { false } }

  func nextAction() -> Spool.Action {
    switch step {
    case .listing: .list
    case .readingHeader(let index):
      .read(directory[index].file, offset: 0, byteCountMax: SegmentHeader.byteCount)
    case .settingAside(let index):
      .setAside(directory[index].file, as: directory[index].asideFile)
    case .scanning: records.nextChunk(of: directory.newest)
    case .cutting(let byteCount): .truncate(directory.newest.file, byteCount: byteCount)
    case .synchronizing: .synchronize(directory.newest.file)
    case .over: preconditionFailure("there is nothing more to look at")
    }
  }

  // MARK: Events

  func performed() {
    switch step {
    case .listing:
      directory.sort()
      readHeader(0)
    case .readingHeader(let index): headerRead(index)
    case .settingAside(let index):
      ledger.losses.setAside += 1
      leaveOut(index)
    case .scanning: scan()
    case .cutting(let byteCount):
      ledger.losses.tornByteCount += directory.newest.byteCount - byteCount
      directory.newest.ended(at: byteCount)
      step = .synchronizing
    case .synchronizing: step = .over
    case .over: preconditionFailure("nothing was asked for")
    }
  }

  func failed() {
    switch step {
    case .listing: directory.removeAll()
    case .readingHeader(let index):
      // What stands in the segment is looked at when its turn comes.
      numbers.reserve(below: directory[index].numbersEnd)
      readHeader(index + 1)
    case .settingAside(let index):
      ledger.losses.setAside += 1
      leaveOut(index)
    case .scanning:
      // The disk does not say what stands in the newest segment; nothing is added to it.
      numbers.reserve(below: directory.newest.numbersEnd)
      isNewestOpen = false
      step = .synchronizing
    case .cutting:
      isNewestOpen = false
      step = .synchronizing
    case .synchronizing:
      isNewestOpen = false
      step = .over
    case .over: preconditionFailure("nothing was asked for")
    }
  }

  // MARK: The headers

  private func readHeader(_ index: Int) {
    guard index < directory.count else { return scanNewest() }
    records.clear()
    step = .readingHeader(index)
  }

  private func headerRead(_ index: Int) {
    let segment = directory[index]
    guard segment.byteCount >= SegmentHeader.byteCount else {
      // The power went before there was a header. Its number goes with it.
      numbers.reserve(below: segment.first + 1)
      directory.leave(segment.file, byteCount: segment.byteCount)
      return leaveOut(index)
    }
    switch records.window.withBytes({ SegmentHeader.read($0) }) {
    case .valid(let header):
      guard header.device == directory.device, header.first == segment.first, !segment.isTooLarge
      else { return setAside(index) }
      directory[index].headerRead(header)
      persisted.insert(0...header.acknowledged, forgetting: ledger.forgotten)
      readHeader(index + 1)
    case .unreadable where !segment.isTooLarge:
      directory[index].headerFoundDamaged()
      readHeader(index + 1)
    case .foreign, .unreadable: setAside(index)
    }
  }

  /// Keeps the numbers of the file from being given again, and the file from being touched.
  private func setAside(_ index: Int) {
    numbers.reserve(below: directory[index].numbersEnd)
    step = .settingAside(index)
  }

  private func leaveOut(_ index: Int) {
    directory.remove(index)
    readHeader(index)
  }

  // MARK: The newest

  private func scanNewest() {
    isNewestOpen = false
    guard directory.count > 0 else { return step = .over }
    numbers.reserve(below: directory.newest.first)
    records.begin(directory.salt(of: directory.newest))
    if directory.newest.byteCount <= SegmentHeader.byteCount {
      scanEnded()
    } else {
      step = .scanning
    }
  }

  private func scan() {
    if records.isAtEnd { directory.newest.ended(at: records.readOffset) }
    let isWhole = records.readOffset >= directory.newest.byteCount
    while let record = records.next(isWhole: isWhole) {
      switch record {
      case .entry(let entry):
        if let sequence = entry.sequence { numbers.reserve(below: sequence + 1) }
      case .acknowledged(let sequence): persisted.insert(0...sequence, forgetting: ledger.forgotten)
      case .acknowledgedRanges(let ranges):
        persisted.formUnion(ranges, forgetting: ledger.forgotten)
      case .sensor, .clock: break
      }
    }
    if isWhole { scanEnded() } else { records.makeRoom() }
  }

  private func scanEnded() {
    let newest = directory.newest
    let tornByteCount = max(0, newest.byteCount - records.endOfRecords)
    // What cannot be read had numbers as well, and each took more than a byte.
    numbers.skip(
      UInt64(records.damagedByteCount + tornByteCount), acknowledged: SequenceSet())
    isNewestOpen = newest.header == .valid && newest.thinnings == 0
    if newest.isGarbage(as: records) { return setAside(directory.newestIndex) }
    step = tornByteCount > 0 && isNewestOpen ? .cutting(records.endOfRecords) : .synchronizing
  }
}
