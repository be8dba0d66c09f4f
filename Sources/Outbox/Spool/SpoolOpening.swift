import Bytes

/// Examines the files at the start: reads every header, and the whole newest segment, but no more,
/// so that a full spool takes little longer.
///
/// Invariants:
/// 1. Its findings are used only when it is over: no number is given and no entry is acknowledged
///    or taken before all files are known.
/// 2. A number that any file may contain is reserved, even if the file cannot be read.
/// 3. The entries found in the newest segment, and only those, are on the disk for certain before
///    it is over: the earlier process may have been killed before the `fsync` of a write or a cut.
final class SpoolOpening {
  /// Files and numbers left by earlier runs.
  struct Findings {
    fileprivate(set) var segments: [Segment] = []
    fileprivate(set) var removals: [SpoolLog.Removal] = []
    /// Number above all that may have been given.
    fileprivate(set) var nextNumber: UInt64 = 1
    /// Numbers below `nextNumber` that no entry can have.
    fileprivate(set) var gaps: [ClosedRange<UInt64>] = []
    /// Last acknowledged number on the disk.
    fileprivate(set) var acknowledged: UInt64 = 0
    /// Whether the newest segment accepts more entries.
    fileprivate(set) var isNewestOpen = false
    fileprivate(set) var setAsideCount = 0
    fileprivate(set) var tornByteCount = 0
  }

  private enum Step {
    case listing
    case readingHeader(Int)
    case scanning
    case cutting(Int)
    case synchronizing
    case over
  }

  private let device: DeviceFingerprint
  private let records: SegmentReader
  private var step = Step.listing
  private(set) var findings = Findings()

  init(_ device: DeviceFingerprint, _ records: SegmentReader) {
    self.device = device
    self.records = records
  }

  var isOver: Bool { if case .over = step { true } else { false } }
  var isListing: Bool { if case .listing = step { true } else { false } }

  private var newestIndex: Int { findings.segments.count - 1 }
  private var newest: Segment { findings.segments[newestIndex] }

  func nextAction() -> Spool.Action {
    switch step {
    case .listing: .list
    case .readingHeader(let index):
      .read(findings.segments[index].file, offset: 0, byteCountMax: SegmentHeader.byteCount)
    case .scanning: records.nextChunk(of: newest)
    case .cutting(let byteCount): .truncate(newest.file, byteCount: byteCount)
    case .synchronizing: .synchronize(newest.file)
    case .over: preconditionFailure("there is nothing more to look at")
    }
  }

  // MARK: Events

  /// Adds a file; files that do not belong to a spool are ignored.
  func fileFound(name: Span<UInt8>, byteCount: Int) {
    guard let file = SegmentFile(name: name) else { return }
    let segment = Segment(first: file.first, byteCount: byteCount)
    switch file.kind {
    case .segment: findings.segments.append(segment)
    case .thinned:
      findings.removals.append(
        SpoolLog.Removal(action: .delete(file), occupiedByteCount: segment.occupiedByteCount))
    case .aside: reserve(below: segment.numbersEnd)
    }
  }

  func performed() {
    switch step {
    case .listing:
      findings.segments.sort { $0.first < $1.first }
      readHeader(0)
    case .readingHeader(let index): headerRead(index)
    case .scanning: scan()
    case .cutting(let byteCount):
      findings.tornByteCount += newest.byteCount - byteCount
      findings.segments[newestIndex].byteCount = byteCount
      step = .synchronizing
    case .synchronizing: step = .over
    case .over: preconditionFailure("nothing was asked for")
    }
  }

  func failed() {
    findings.isNewestOpen = false
    switch step {
    case .listing: findings = Findings()
    case .readingHeader(let index):
      // The reader examines the content of the segment later.
      reserve(below: findings.segments[index].numbersEnd)
      readHeader(index + 1)
    case .scanning:
      // The content of the newest segment is unknown, so nothing is added to it.
      reserve(below: newest.numbersEnd)
      step = .synchronizing
    case .cutting: step = .synchronizing
    case .synchronizing: step = .over
    case .over: preconditionFailure("nothing was asked for")
    }
  }

  private func reserve(below end: UInt64) { findings.nextNumber = max(findings.nextNumber, end) }

  private func acknowledge(upTo number: UInt64) {
    findings.acknowledged = max(findings.acknowledged, number)
  }

  // MARK: Headers

  private func readHeader(_ index: Int) {
    guard index < findings.segments.count else { return scanNewest() }
    records.clear()
    step = .readingHeader(index)
  }

  private func headerRead(_ index: Int) {
    let segment = findings.segments[index]
    guard segment.byteCount >= SegmentHeader.byteCount else {
      // The power failed before there was a header. Its number is not given again.
      reserve(below: segment.first + 1)
      findings.removals.append(segment.deletion)
      findings.segments.remove(at: index)
      return readHeader(index)
    }
    switch records.window.withBytes({ SegmentHeader.read($0) }) {
    case .valid(let header)
    where header.device == device && header.first == segment.first && !segment.isTooLarge:
      findings.segments[index].header = .valid
      acknowledge(upTo: header.acknowledged)
      readHeader(index + 1)
    case .unreadable where !segment.isTooLarge:
      findings.segments[index].header = .damaged
      readHeader(index + 1)
    case .valid, .foreign, .unreadable:
      setAside(index)
      readHeader(index)
    }
  }

  /// Reserves the numbers of the file and schedules its renaming.
  private func setAside(_ index: Int) {
    let segment = findings.segments.remove(at: index)
    reserve(below: segment.numbersEnd)
    findings.setAsideCount += 1
    findings.removals.append(
      SpoolLog.Removal(action: .setAside(segment.file, as: segment.file.aside)))
  }

  // MARK: Newest segment

  private func scanNewest() {
    findings.isNewestOpen = false
    guard !findings.segments.isEmpty else { return step = .over }
    reserve(below: newest.first)
    records.begin(SegmentSalt(first: newest.first, device: device))
    if newest.byteCount <= SegmentHeader.byteCount {
      scanEnded()
    } else {
      step = .scanning
    }
  }

  private func scan() {
    if records.isAtEnd { findings.segments[newestIndex].byteCount = records.readOffset }
    let isWhole = records.readOffset >= newest.byteCount
    while let record = records.next(isWhole: isWhole) {
      switch record {
      case .entry(let entry):
        if let sequence = entry.sequence { reserve(below: sequence + 1) }
      case .acknowledged(let sequence): acknowledge(upTo: sequence)
      case .sensor, .clock, .passedOver: break
      }
    }
    if isWhole { scanEnded() } else { records.makeRoom() }
  }

  private func scanEnded() {
    let tornByteCount = max(0, newest.byteCount - records.endOfRecords)
    if newest.header == .damaged, records.recordCount == 0 {
      setAside(newestIndex)
      return scanNewest()
    }
    skip(records.damagedByteCount + tornByteCount)
    findings.isNewestOpen = newest.header == .valid
    step =
      tornByteCount > 0 && findings.isNewestOpen ? .cutting(records.endOfRecords) : .synchronizing
  }

  /// Skips as many numbers as unreadable bytes can contain: each entry takes more than a byte.
  private func skip(_ byteCount: Int) {
    guard byteCount > 0 else { return }
    let first = findings.nextNumber
    findings.nextNumber += UInt64(byteCount)
    findings.gaps.append(first...findings.nextNumber - 1)
  }
}
