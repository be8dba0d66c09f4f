public import Bytes

/// What was found in a file of a spool by a program that only looks at it.
public struct ArchivedSegment: Equatable, Sendable {
  public enum Condition: Equatable, Sendable {
    case intact
    /// Its header cannot be read. Its records are read all the same.
    case headless
    /// Of a version that this Homeward does not know; nothing of it is read.
    case otherVersion
    /// Nothing in it is a record of a spool.
    case unknown
    /// The disk does not read it, or not to its end.
    case unreadable(DiskFailure)
    /// It was deleted before it was read.
    case vanished
  }

  public let file: SegmentFile
  public internal(set) var condition = Condition.headless
  /// Whose it is: devices are numbered as they are found, and nil is not known.
  public internal(set) var device: Int?
  public internal(set) var byteCount: Int
  /// Readings and fixes.
  public internal(set) var entryCount = 0
  /// Those of them that Home Assistant does not have.
  public internal(set) var waitingCount = 0
  public internal(set) var sequences: ClosedRange<UInt64>?
  /// When the entries were true whose clock was trusted.
  public internal(set) var times: ClosedRange<WallTime>?
  /// Bytes between the records that are none.
  public internal(set) var damagedByteCount = 0
  /// Bytes behind the last record: what a power cut tore, or what is being written now.
  public internal(set) var tornByteCount = 0
  /// Readings that do not say any more of which sensor they are.
  public internal(set) var namelessCount = 0

  /// Whether the agent has set it aside.
  public var isAside: Bool { file.kind == .aside }

  /// The first number of its entries, and whose they are; nil before the header was read.
  var salt: SegmentSalt?
  /// What Home Assistant has, as far as the file itself says.
  var acknowledged: UInt64 = 0

  init(file: SegmentFile, byteCount: Int) {
    self.file = file
    self.byteCount = byteCount
  }

  /// Counts an entry that says all that it should.
  mutating func count(_ entry: SpoolEntry, sequence: UInt64, isAcknowledged: Bool) {
    entryCount += 1
    if !isAcknowledged { waitingCount += 1 }
    sequences = sequences.map { $0.extended(to: sequence) } ?? sequence...sequence
    guard entry.isTimeTrusted else { return }
    times = times.map { $0.extended(to: entry.time) } ?? entry.time...entry.time
  }
}

extension ClosedRange {
  /// The smallest range that holds this one and `bound`.
  func extended(to bound: Bound) -> ClosedRange {
    bound < lowerBound ? bound...upperBound : lowerBound...(bound < upperBound ? upperBound : bound)
  }
}
