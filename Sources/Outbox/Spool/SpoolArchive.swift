public import Bytes

/// Reads the files of a spool for a program other than the agent: in order, the oldest first, with
/// the memory of one chunk, and without changing anything.
///
/// The caller reports each file of the directory, and then takes steps until there is none. The
/// files may belong to a running agent. A file that vanishes was delivered; a file that grows is
/// read to its present end.
///
/// Every file is read by its own header, whatever its device; the entries of one device stand
/// together. A file without a readable header counts as one of the device of the file before it.
/// Incomplete copies with less detail of an earlier agent contain no entries of their own and are
/// left out.
///
/// Each file is read twice, because acknowledgements stand after their entries. For a file that was
/// set aside only its own acknowledgements count: the agent continues without its other entries.
public struct SpoolArchive: ~Copyable {
  public enum Step: Equatable {
    /// Read once from `offset` with `fill`, or report the failure. Zero bytes mean the end.
    case read(SegmentFile, offset: Int, byteCountMax: Int)
    case entry(SpoolEntry, isAcknowledged: Bool)
  }

  private enum Pass { case headers, acknowledgements, entries, over }

  /// Results so far; their numbers are final when there is no next step.
  public private(set) var segments: [ArchivedSegment] = []
  private var devices: [DeviceFingerprint] = []
  /// Last acknowledged number of each device, from files that were not set aside.
  private var acknowledged: [UInt64] = []

  private var pass = Pass.headers
  private var index = 0
  private let reader = SegmentReader()
  /// Whether the reader is in the segment at `index`, and whether the window ends with it.
  private var isReaderThere = false
  private var isWhole = false
  private var isReadAwaited = false

  public init() {}

  /// Adds a file of the directory.
  public mutating func fileFound(_ file: SegmentFile, byteCount: Int) {
    precondition(pass == .headers && index == 0, "files are told before any is read")
    guard file.kind != .thinned else { return }
    let segment = ArchivedSegment(file: file, byteCount: byteCount)
    // A directory has no order. Files that were set aside come after the agent's own files.
    let place = segments.firstIndex { segment.comesBefore($0) } ?? segments.count
    segments.insert(segment, at: place)
  }

  public var deviceCount: Int { devices.count }

  /// Last number that Home Assistant has of the first device; 0 without any.
  public var acknowledgedSequence: UInt64 { acknowledged.first ?? 0 }

  /// Device of the last entry.
  public var device: Int? { index < segments.count ? segments[index].device : nil }

  /// Returns the unique id of the last entry's sensor.
  public func uniqueID(of entry: SpoolEntry) -> [UInt8] {
    guard case .reading(let slot, _) = entry.content else { return [] }
    return reader.names[slot]
  }

  // MARK: Steps

  /// Returns the next read or the next entry; nil at the end.
  @inline(never)
  public mutating func next() -> Step? {
    precondition(!isReadAwaited, "one read at a time")
    while pass != .over {
      guard index < segments.count else {
        endPass()
        continue
      }
      if pass == .headers { return read(byteCountMax: SegmentHeader.byteCount) }
      if segments[index].isReadable, let step = nextInSegment() { return step }
      leaveSegment()
    }
    return nil
  }

  private mutating func nextInSegment() -> Step? {
    guard let salt = segments[index].salt else { return nil }
    if !isReaderThere {
      reader.begin(salt)
      isReaderThere = true
      isWhole = false
    }
    while let record = reader.next(isWhole: isWhole) {
      if let step = found(record) { return step }
    }
    guard isWhole else {
      reader.makeRoom()
      return read(byteCountMax: reader.window.freeCapacity)
    }
    if pass == .entries { countBytes() }
    return nil
  }

  private mutating func read(byteCountMax: Int) -> Step {
    isReadAwaited = true
    if pass == .headers { reader.clear() }
    reader.chunkAsked(byteCountMax: byteCountMax)
    return .read(
      segments[index].file, offset: pass == .headers ? 0 : reader.readOffset,
      byteCountMax: byteCountMax)
  }

  private mutating func leaveSegment() {
    index += 1
    isReaderThere = false
  }

  private mutating func endPass() {
    index = 0
    switch pass {
    case .headers:
      adoptHeadless()
      if devices.count > 1 { groupByDevice() }
      pass = .acknowledgements
    case .acknowledgements: pass = .entries
    case .entries, .over: pass = .over
    }
  }

  // MARK: Results of reads

  /// Lets `body` write the bytes read for `.read` and return their number.
  public mutating func fill<Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    precondition(isReadAwaited, "nothing was asked for")
    try reader.fill(body)
    isReadAwaited = false
    if pass == .headers {
      headerRead()
      leaveSegment()
    } else {
      isWhole = reader.isAtEnd
    }
  }

  /// Handles a file that no longer exists.
  public mutating func fileVanished() { give(up: .vanished) }

  /// Handles a file that the disk cannot read.
  public mutating func failed(_ failure: DiskFailure) { give(up: .unreadable(failure)) }

  private mutating func give(up condition: ArchivedSegment.Condition) {
    precondition(isReadAwaited, "nothing was asked for")
    isReadAwaited = false
    segments[index].condition = condition
    leaveSegment()
  }

  private mutating func headerRead() {
    switch reader.window.withBytes({ SegmentHeader.read($0) }) {
    case .valid(let header):
      let device = number(of: header.device)
      segments[index].condition = .intact
      segments[index].device = device
      segments[index].salt = header.salt
      acknowledge(upTo: header.acknowledged)
    case .foreign: segments[index].condition = .otherVersion
    case .unreadable: segments[index].condition = .headless
    }
  }

  private mutating func number(of device: DeviceFingerprint) -> Int {
    if let known = devices.firstIndex(of: device) { return known }
    devices.append(device)
    acknowledged.append(0)
    return devices.count - 1
  }

  /// Records the segment's acknowledgement.
  private mutating func acknowledge(upTo number: UInt64) {
    segments[index].acknowledged = max(segments[index].acknowledged, number)
    guard let device = segments[index].device, !segments[index].isAside else { return }
    acknowledged[device] = max(acknowledged[device], number)
  }

  private func isAcknowledged(_ sequence: UInt64) -> Bool {
    let segment = segments[index]
    guard let device = segment.device, !segment.isAside else {
      return sequence <= segment.acknowledged
    }
    return sequence <= acknowledged[device]
  }

  /// Gives files without a header the device of a neighbour, to check their records.
  private mutating func adoptHeadless() {
    guard !devices.isEmpty else {
      for index in segments.indices where segments[index].condition == .headless {
        segments[index].condition = .unknown
      }
      return
    }
    var device = 0
    for index in segments.indices {
      device = segments[index].device ?? device
      guard segments[index].condition == .headless else { continue }
      segments[index].device = device
      segments[index].salt = SegmentSalt(
        first: segments[index].file.first, device: devices[device])
    }
  }

  private mutating func groupByDevice() {
    var grouped: [ArchivedSegment] = []
    for device in devices.indices {
      for segment in segments where segment.device == device { grouped.append(segment) }
    }
    for segment in segments where segment.device == nil { grouped.append(segment) }
    segments = grouped
  }

  private mutating func found(_ record: SpoolRecord) -> Step? {
    switch (pass, record) {
    case (.acknowledgements, .acknowledged(let sequence)): acknowledge(upTo: sequence)
    case (.entries, .entry(let entry)):
      if case .reading(let slot, _) = entry.content, reader.names[slot].isEmpty {
        segments[index].namelessCount += 1
        return nil
      }
      guard let sequence = entry.sequence else { return nil }
      let isAcknowledged = isAcknowledged(sequence)
      segments[index].count(entry, sequence: sequence, isAcknowledged: isAcknowledged)
      return .entry(entry, isAcknowledged: isAcknowledged)
    default: break
    }
    return nil
  }

  private mutating func countBytes() {
    segments[index].byteCount = reader.readOffset
    segments[index].damagedByteCount = reader.damagedByteCount
    segments[index].tornByteCount = reader.readOffset - reader.endOfRecords
    if segments[index].condition == .headless, reader.recordCount == 0 {
      segments[index].condition = .unknown
      segments[index].tornByteCount = 0
    }
  }
}

extension ArchivedSegment {
  fileprivate func comesBefore(_ other: ArchivedSegment) -> Bool {
    isAside == other.isAside ? file.first < other.file.first : other.isAside
  }

  fileprivate var isReadable: Bool {
    switch condition {
    case .intact, .headless: true
    case .otherVersion, .unknown, .unreadable, .vanished: false
    }
  }
}

/// Result of reading a file of a spool without changing it.
public struct ArchivedSegment: Equatable, Sendable {
  public enum Condition: Equatable, Sendable {
    case intact
    /// The header cannot be read, but the records are read.
    case headless
    /// The version is unknown to this Homeward; nothing is read.
    case otherVersion
    /// The file contains no record of a spool.
    case unknown
    /// The disk cannot read the file, or not to its end.
    case unreadable(DiskFailure)
    /// The file was deleted before it was read.
    case vanished
  }

  public let file: SegmentFile
  public internal(set) var condition = Condition.headless
  /// Device of the entries, numbered in the order of discovery; nil if unknown.
  public internal(set) var device: Int?
  public internal(set) var byteCount: Int
  /// Number of readings and fixes.
  public internal(set) var entryCount = 0
  /// Number of entries that Home Assistant does not have.
  public internal(set) var waitingCount = 0
  public internal(set) var sequences: ClosedRange<UInt64>?
  /// Times of the entries with a trusted clock.
  public internal(set) var times: ClosedRange<WallTime>?
  /// Number of bytes between the records that are not a record.
  public internal(set) var damagedByteCount = 0
  /// Number of bytes after the last record: torn by a power cut, or being written now.
  public internal(set) var tornByteCount = 0
  /// Number of readings whose sensor is unknown.
  public internal(set) var namelessCount = 0

  /// Whether the agent has set the file aside.
  public var isAside: Bool { file.kind == .aside }

  /// First sequence number and device; nil before the header is read.
  var salt: SegmentSalt?
  /// Last acknowledged number, according to this file.
  var acknowledged: UInt64 = 0

  init(file: SegmentFile, byteCount: Int) {
    self.file = file
    self.byteCount = byteCount
  }

  mutating func count(_ entry: SpoolEntry, sequence: UInt64, isAcknowledged: Bool) {
    entryCount += 1
    if !isAcknowledged { waitingCount += 1 }
    sequences = sequences.map { $0.extended(to: sequence) } ?? sequence...sequence
    guard entry.isTimeTrusted else { return }
    times = times.map { $0.extended(to: entry.time) } ?? entry.time...entry.time
  }
}

extension ClosedRange {
  /// Returns the smallest range that contains this one and `bound`.
  func extended(to bound: Bound) -> ClosedRange {
    bound < lowerBound ? bound...upperBound : lowerBound...(bound < upperBound ? upperBound : bound)
  }
}
