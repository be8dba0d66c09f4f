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
  /// The pause that systemd itself makes before each start (`RestartSec=`).
  static let systemdPause: Duration = .seconds(30)
  static let pauseMax: Duration = .seconds(900)
  /// More starts than these make no longer pause, and are not counted.
  static let countMax = 6

  private let file: Path

  /// Nil where the service manager gave no directory for it.
  init?() {
    guard let directory = runtimeDirectory() else { return nil }
    file = directory / "starts"
  }

  /// How long this start waits after so many others, in addition to systemd's own pause.
  static func pause(afterStarts count: Int) -> Duration {
    guard count > 0 else { return .zero }
    let doublings = min(count, countMax) - 1
    return min(systemdPause * (1 << doublings), pauseMax) - systemdPause
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
