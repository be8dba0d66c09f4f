import Bytes
import CLinux

/// Entry of systemd's journal in its native protocol: lines `NAME=value`, and for a value of
/// several lines the name, its size in 64 bits, little-endian, and the value
/// (<https://systemd.io/JOURNAL_NATIVE_PROTOCOL/>).
public struct JournalEntry {
  /// Maximum length of a value, below the kernel's; the longest is a refused configuration.
  static let valueByteCountMax = 16 * 1024

  public private(set) var bytes: [UInt8] = []

  public init() {}

  /// Appends a field. `name` has capital letters, digits and `_`. Longer values are cut.
  @inline(never)
  public mutating func append(_ name: StaticString, _ value: [UInt8]) {
    let count = min(value.count, Self.valueByteCountMax)
    bytes += [UInt8](name)
    if value.contains(UInt8(ascii: "\n")) {
      bytes.append(UInt8(ascii: "\n"))
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: count >> (shift * 8))) }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += value[..<count]
    bytes.append(UInt8(ascii: "\n"))
  }
}

/// Socket of systemd's journal. Sending never blocks.
public final class JournalSocket {
  public enum Outcome: Equatable, Sendable {
    case taken
    /// The journal has not read the earlier entries yet.
    case full
    /// The journal does not exist or rejects this entry.
    case away
  }

  private let path: Path
  private var socket: Descriptor?

  public init(_ path: Path = Path("/run/systemd/journal/socket")) { self.path = path }

  public func send(_ entry: JournalEntry) -> Outcome {
    let isNew = socket == nil
    if let outcome = trySending(entry) { return outcome }
    // A restarted journal has a new socket.
    socket = nil
    return isNew ? .away : trySending(entry) ?? .away
  }

  /// Sends an entry; returns nil if the socket is unusable.
  private func trySending(_ entry: JournalEntry) -> Outcome? {
    do throws(Errno) {
      if socket == nil {
        socket = Descriptor(owning: try unsafe path.call { unsafe clinux_notify_connect($0) })
      }
      guard let count = try socket?.write(entry.bytes.span) else { return nil }
      return count == entry.bytes.count ? .taken : .full
    } catch { return nil }
  }
}

/// Whether standard error of this process is systemd's journal: the environment names its file
/// (`JOURNAL_STREAM` of systemd.exec(5)), also for a child with another standard error.
public var isJournalStandardError: Bool {
  guard let text = environmentVariable("JOURNAL_STREAM") else { return false }
  var status = stat()
  guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
  let (device, file) = (Int64(clamping: status.st_dev), Int64(clamping: status.st_ino))
  return text == ("\(device):\(file)" as MessageText).bytes
}
