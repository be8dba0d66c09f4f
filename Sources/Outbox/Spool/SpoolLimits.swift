extension Spool {
  /// A segment that is this large takes no more batches, unless the caller says otherwise.
  public static let segmentByteCount = 1024 * 1024
  /// What a file is taken to have whose size the kernel does not tell. Nothing is less certain of
  /// it than of a segment that got shorter.
  public static let unknownByteCount = 2 * segmentByteCount
  /// What all segments may take unless the caller says otherwise.
  public static let byteCountCap = 64 * 1024 * 1024
  /// Every file takes whole blocks; in a cap of only small ones, this many.
  public static let segmentCountMax = 4096
  static let blockByteCount = 4096
  public static let memoryEntryCountMax = 2048
  /// An open batch of this many entries is written before it is closed.
  public static let batchEntryCountMax = 512
  static let outgoingByteCountMax = 64 * 1024
  /// What is read and written in one wake-up, beside batches. Other actions count as a block.
  public static let sliceByteCount = 128 * 1024
  /// What is taken at a time where the newest goes first: about as much as a message holds.
  public static let recentByteCount = 24 * 1024
  public static let uniqueIDByteCountMax = SpoolRecord.uniqueIDByteCountMax
  public static let firstRetryDelay: Duration = .seconds(30)
  public static let longestRetryDelay: Duration = .seconds(1800)
  /// A segment that the disk did not read so often is left alone until the next start.
  static let readAttemptsMax: UInt8 = 4
  /// A file that the disk did not delete so often is there until the next start.
  static let deletionAttemptsMax: UInt8 = 4
  /// Each segment that is left alone is a gap in what was acknowledged, and a `SequenceSet` keeps
  /// so many without forgetting any. Where there would be more, what comes next is tried for ever.
  static let gapCountMax = SequenceSet.rangeCountMax / 2

  /// What a file takes of the disk that has so many bytes: whole blocks.
  static func occupiedByteCount(of byteCount: Int) -> Int {
    max(1, (byteCount + blockByteCount - 1) / blockByteCount) * blockByteCount
  }
}
