public import Bytes

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
