public import Bytes
public import LinuxIO
import Sensing

/// The file that keeps the counts of all pulse counters over restarts and power cuts.
///
/// It is written when the agent stops, and else once in 15 minutes at the most, and only where a
/// pulse came: at most 96 times a day, of a few hundred bytes. A power cut costs what came since.
///
/// A file that cannot be read, or that a newer version wrote, is not written over: it is read again
/// until it can be, and until then no total is known.
public final class CountsFile {
  /// How far apart it is written.
  public static let writeInterval: Duration = .seconds(900)
  public static let fileName: StaticString = "pulses.counts"
  /// What messages call it.
  public static var name: InlineText { InlineText("pulses.counts") }

  private let directory: Path
  private let supervisor: Supervisor
  private var counts = KeptCounts()
  /// Whether it is known what earlier runs counted.
  private var isRead = false
  private var isChanged = false
  /// When it is written at the earliest.
  private var dueAt: Instant?

  /// Reads nothing yet.
  public init(in directory: Path, supervisor: Supervisor) {
    self.directory = directory
    self.supervisor = supervisor
  }

  /// What earlier runs counted, 0 where the file is damaged; nil, told, where it cannot be read.
  func count(of id: [UInt8], now: Instant) -> Int64? {
    if !isRead { read(now: now) }
    return isRead ? counts[id] ?? 0 : nil
  }

  /// Keeps a count that goes on from `count`, and writes the file where that is due.
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

  /// The agent stops: keeps a count at once.
  func keepForGood(_ count: Int64, of id: [UInt8], now: Instant) {
    keep(count, of: id, now: now)
    write(now: now)
  }

  private func read(now: Instant) {
    do throws(Errno) {
      let bytes = try readFile(
        at: directory / Self.fileName, byteCountMax: KeptCounts.fileByteCountMax)
      take(bytes, now: now)
    } catch .noSuchFile {
      found()
    } catch .fileTooLarge {
      take([], now: now)
    } catch {
      supervisor.failed(Self.name, SourceFailure(error, of: Self.name), now: now)
    }
  }

  private func take(_ bytes: [UInt8], now: Instant) {
    do throws(KeptFrameError) {
      counts = try KeptCounts(file: bytes.span)
      found()
    } catch .damaged {
      isRead = true
      tell("a damaged file", now: now)
    } catch {
      tell("a file of a newer version", now: now)
    }
  }

  private func found() {
    isRead = true
    supervisor.worked(Self.name)
  }

  private func tell(_ found: StaticString, now: Instant) {
    supervisor.failed(Self.name, .malformed(Self.name, found: InlineText(found)), now: now)
  }

  private func write(now: Instant) {
    guard isChanged else { return }
    dueAt = now + Self.writeInterval
    do throws(Errno) {
      try replaceFile(named: Self.fileName, in: directory, with: counts.file.bytes)
      isChanged = false
      supervisor.worked(Self.name)
    } catch {
      supervisor.failed(Self.name, SourceFailure(error, of: Self.name), now: now)
    }
  }
}
