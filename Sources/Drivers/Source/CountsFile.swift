public import Bytes
public import LinuxIO
import Sensing

/// The file that stores the counts of all pulse counters across restarts and power cuts.
///
/// It is written when the agent stops, and otherwise at most every 15 minutes and only after a
/// pulse: at most 96 times a day, a few hundred bytes each time. A power cut loses the pulses since
/// the last write.
public final class CountsFile {
  /// Minimum time between two writes while the agent runs.
  public static let writeInterval: Duration = .seconds(900)
  public static let fileName: StaticString = "pulses.counts"
  /// Name of the file in messages.
  public static var name: InlineText { InlineText(fileName) }

  private var file: KeptFile
  private let supervisor: Supervisor
  private var counts = KeptCounts()
  private var isChanged = false
  private var dueAt: Instant?

  /// Reads nothing yet.
  public init(in directory: Path, supervisor: Supervisor) {
    file = KeptFile(Self.fileName, in: directory, byteCountMax: KeptCounts.fileByteCountMax)
    self.supervisor = supervisor
  }

  /// Returns the count of earlier runs: 0 if the file is damaged, nil (reported) if it cannot be
  /// read.
  func count(of id: [UInt8], now: Instant) -> Int64? {
    if !file.isRead { read(now: now) }
    return file.isRead ? counts[id] ?? 0 : nil
  }

  /// Stores a count that continues from `count`, and writes the file if that is due.
  func keep(_ count: Int64, of id: [UInt8], now: Instant) {
    if counts[id] ?? 0 != count {
      counts.keep(count, of: id)
      isChanged = true
    }
    guard let dueAt else {
      self.dueAt = now + Self.writeInterval
      return
    }
    if now >= dueAt { write(now: now) }
  }

  /// Stores and writes a count at once, because the agent stops.
  func keepForGood(_ count: Int64, of id: [UInt8], now: Instant) {
    keep(count, of: id, now: now)
    write(now: now)
  }

  private func read(now: Instant) {
    do throws(SourceFailure) {
      let kept = try file.read { (bytes) throws(KeptFrameError) in try KeptCounts(file: bytes.span)
      }
      if let kept { counts = kept }
      supervisor.worked(Self.name)
    } catch {
      supervisor.failed(Self.name, error, now: now)
    }
  }

  private func write(now: Instant) {
    guard isChanged else { return }
    dueAt = now + Self.writeInterval
    do throws(SourceFailure) {
      try file.write(counts.file.bytes)
      isChanged = false
      supervisor.worked(Self.name)
    } catch {
      supervisor.failed(Self.name, error, now: now)
    }
  }
}
