/// Whether a file of a driver is read beside the loop, by how long its reads took.
///
/// Some drivers let a part measure while its file is read: `sht3x` for 15 ms, `bh1750` for 180,
/// `scd30` for seconds. Only the reads tell which ones. So a file that is not known is read beside
/// the loop, which costs two changes of threads; once it was fast, it is read in the loop, which
/// costs one `pread(2)`. A slow read moves it out again, until some in a row were fast.
///
/// The channels of a part may share what it measured, as those of `sht3x` do: the second one is
/// fast, and slow again where it does not stand behind the first. So a file that was moved into the
/// loop and is slow there has to be fast twice as often the next time.
public struct ReadPace: Sendable {
  /// A read that takes longer is slow: the edges of lines and the reports of receivers wait for it.
  public static let fastMax: Duration = .milliseconds(10)
  /// A read that takes this long is one of a bus that is dead, or held by another program: it must
  /// not hold the loop up again soon.
  public static let deadMin: Duration = .seconds(1)
  /// How many reads in a row have to be fast after a slow one, at first and at most.
  public static let fastReadsMin = 8
  public static let fastReadsMax = 1024

  /// How many fast reads a slow one asks for.
  private var wanted = Self.fastReadsMin
  /// How many of them are still to come.
  private var missing = 1

  public init() {}

  /// Whether the next read is one beside the loop.
  public var isBesideLoop: Bool { missing > 0 }

  /// The file was read, or failed to be, and that took so long.
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

  /// The file failed, and is looked for again: what is there then may be another device.
  public mutating func fileLost() { missing = max(1, missing) }
}
