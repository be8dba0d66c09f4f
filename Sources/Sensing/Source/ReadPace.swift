/// Decides, by the duration of its reads, whether a file of a driver is read outside the loop.
///
/// Some drivers let a part measure while its file is read: `sht3x` for 15 ms, `bh1750` for 180,
/// `scd30` for seconds. Only the reads show which ones. So an unknown file is read outside the
/// loop, which costs two changes of threads; after a fast read it is read in the loop, which costs
/// one `pread(2)`. A slow read moves it out again, until several reads in a row were fast.
///
/// The channels of a part may share a measurement, as those of `sht3x` do: the second one is fast,
/// and slow again if it does not follow the first. So a file that was moved into the loop and is
/// slow there needs twice as many fast reads the next time.
public struct ReadPace: Sendable {
  /// Maximum duration of a fast read: the edges of lines and the reports of receivers wait for it.
  public static let fastMax: Duration = .milliseconds(10)
  /// Duration of a read on a bus that is dead, or held by another program: it must not delay the
  /// loop again soon.
  public static let deadMin: Duration = .seconds(1)
  /// Number of fast reads in a row after a slow one, at first and at most.
  public static let fastReadsMin = 8
  public static let fastReadsMax = 1024

  /// Number of fast reads that a slow one requires.
  private var wanted = Self.fastReadsMin
  /// Number of fast reads that are still missing.
  private var missing = 1

  public init() {}

  /// Whether the next read is outside the loop.
  public var isBesideLoop: Bool { missing > 0 }

  /// Records the duration of a read, successful or not.
  public mutating func readEnded(after duration: Duration) {
    if duration <= Self.fastMax {
      missing = max(0, missing - 1)
      return
    }
    if !isBesideLoop {
      wanted = duration >= Self.deadMin ? Self.fastReadsMax : min(wanted * 2, Self.fastReadsMax)
    }
    missing = wanted
  }

  /// Records that the file failed and is looked for again: the new file may belong to another
  /// device.
  public mutating func fileLost() { missing = max(1, missing) }
}
