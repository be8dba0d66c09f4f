import Bytes

extension Spool {
  /// What is taken first.
  public enum Order: Equatable, CaseIterable, Sendable {
    /// As it came; what is in memory only comes last.
    case oldestFirst
    /// What is in memory only, as it came. Then what is on the disk, in blocks of
    /// `recentByteCount`: the newest block first, each as it came. What is written meanwhile
    /// follows the block under way.
    case newestFirst
  }

  /// What the disk is to do.
  public enum Action: Equatable, Sendable {
    /// Tell `fileFound` of every file in the directory, which is made where it is missing.
    case list
    /// Read once from `offset` with `fill`. Nothing read is the end.
    case read(SegmentFile, offset: Int, byteCountMax: Int)
    /// Make the file; one that is there is an error.
    case create(SegmentFile)
    /// Append all of `outgoing` to the file.
    case append(SegmentFile)
    case synchronize(SegmentFile)
    case synchronizeDirectory
    case truncate(SegmentFile, byteCount: Int)
    /// One that is not there is no error.
    case delete(SegmentFile)
    /// Rename the first to the second, in its place where it is there, and synchronise the
    /// directory.
    case replace(SegmentFile, SegmentFile)
    /// Rename the first to the second; one that is there is an error.
    case setAside(SegmentFile, as: SegmentFile)
  }

  /// What was lost or left out since the start.
  public struct Losses: Equatable, Sendable {
    /// Entries that were taken out to save room.
    public var thinned = 0
    /// Entries of segments that were dropped.
    public var dropped = 0
    /// Entries that the memory had no room for.
    public var overflowed = 0
    /// Entries that were damaged, as the numbers around them tell. How many stood behind the last
    /// whole one of the newest segment, or in a segment that was thinned, is not known.
    public var damaged = 0
    /// Bytes on the disk that are not what was written.
    public var damagedByteCount = 0
    /// Bytes of batches that a power cut tore.
    public var tornByteCount = 0
    /// Segments that the disk would not read. They are left alone, and are tried at the next start;
    /// one that had to go unread for its room is among them.
    public var unreadableSegments = 0
    /// Files of another version or another device.
    public var setAside = 0
    /// Readings that do not say any more of which sensor they are.
    public var nameless = 0

    /// Entries that are gone, as far as they can be counted.
    public var entryCount: Int { thinned + dropped + overflowed + damaged + nameless }
  }

  /// What an action of the disk is for.
  enum Purpose {
    case opening
    case settingAside(Int)
    case deletingLeftover
    case deleting(Int)
    case writing
    case compacting
    case reading
  }
}

extension Spool.Action {
  /// What is read or written with it at most.
  func byteCount(appending outgoing: borrowing ByteBuffer) -> Int {
    switch self {
    case .read(_, _, let byteCountMax): byteCountMax
    case .append: outgoing.count
    default: 0
    }
  }
}
