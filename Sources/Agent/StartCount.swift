import Bytes
import LinuxIO

/// Counts the starts of a service since it last did well, so that an agent which ends again and
/// again is started more and more rarely. systemd can do this by itself only from its version 254
/// on.
///
/// The unit has a `RuntimeDirectory=` that is kept between automatic starts; without such a
/// directory nothing is counted. The file in it has a byte for each start, and no contents.
struct StartCount {
  /// How long a run lasts that does away with the starts before it.
  static let goodRun: Duration = .seconds(600)
  /// How long the second start after the first one waits; each one after it twice as long, up to
  /// `pauseMax`. systemd itself hardly waits (`RestartSec=`): only an agent that has been started
  /// holds its outputs safe while it waits.
  static let firstPause: Duration = .seconds(30)
  static let pauseMax: Duration = .seconds(900)
  /// More starts than these make no longer pause, and are not counted.
  static let countMax = 7

  private let file: Path

  /// Nil where the service manager gave no directory for it.
  init?() {
    guard let directory = runtimeDirectory() else { return nil }
    file = directory / "starts"
  }

  /// How long this start waits after so many others.
  static func pause(afterStarts count: Int) -> Duration {
    guard count > 1 else { return .zero }
    let doublings = min(count, countMax) - 2
    return min(firstPause * (1 << doublings), pauseMax)
  }

  /// Counts this start. Returns how long it has to wait.
  func begin() throws(Errno) -> Duration {
    let count: Int
    do throws(Errno) { count = try byteCount(ofFileAt: file) } catch .noSuchFile {
      try Descriptor(opening: file, mode: .writeNewPrivate).writeAll([0].span)
      return .zero
    }
    if count < Self.countMax { try Descriptor(opening: file, mode: .append).writeAll([0].span) }
    return Self.pause(afterStarts: count)
  }

  /// The agent did well, or was asked to end.
  func clear() {
    // In a directory that cannot be written nothing was counted either.
    try? removeFile(at: file)
  }
}
