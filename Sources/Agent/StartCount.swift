import Bytes
import LinuxIO

/// Counts the starts of a service since its last success, so that an agent that fails repeatedly is
/// started at growing intervals. systemd supports this only from version 254 on.
///
/// The unit has a `RuntimeDirectory=` that is kept between automatic starts; without such a
/// directory nothing is counted. The file in it has one byte per start; the contents do not matter.
struct StartCount {
  /// Duration of a run that resets the count.
  static let goodRun: Duration = .seconds(600)
  /// Pause of the second start after the first one; each further pause is twice as long, up to
  /// `pauseMax`. systemd itself hardly waits (`RestartSec=`): only a started agent holds its
  /// outputs safe while it waits.
  static let firstPause: Duration = .seconds(30)
  static let pauseMax: Duration = .seconds(900)
  /// Maximum number of counted starts; more make the pause no longer.
  static let countMax = 7

  private let file: Path

  /// Nil if the service manager provides no directory.
  init?() {
    guard let directory = runtimeDirectory() else { return nil }
    file = directory / "starts"
  }

  static func pause(afterStarts count: Int) -> Duration {
    guard count > 1 else { return .zero }
    let doublings = min(count, countMax) - 2
    return min(firstPause * (1 << doublings), pauseMax)
  }

  /// Counts this start. Returns its pause.
  func begin() throws(Errno) -> Duration {
    let count: Int
    do throws(Errno) { count = try byteCount(ofFileAt: file) } catch .noSuchFile {
      try Descriptor(opening: file, mode: .writeNewPrivate).writeAll([0].span)
      return .zero
    }
    if count < Self.countMax { try Descriptor(opening: file, mode: .append).writeAll([0].span) }
    return Self.pause(afterStarts: count)
  }

  /// Resets the count after a success or a requested stop.
  func clear() {
    // If the directory cannot be written, nothing was counted either.
    try? removeFile(at: file)
  }
}
