import Bytes
import CLinux

/// An entry of systemd's journal in its native protocol: lines `NAME=value`, and for a value of
/// more lines the name, its size in 64 bits, little-endian, and the value
/// (<https://systemd.io/JOURNAL_NATIVE_PROTOCOL/>).
public struct JournalEntry {
  /// The kernel takes more in one datagram; the longest value here is a refused configuration.
  static let valueByteCountMax = 16 * 1024

  public private(set) var bytes: [UInt8] = []

  public init() {}

  /// `name` has capital letters, digits and `_`. A longer value is cut.
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

/// The socket of systemd's journal. Sending never blocks.
public final class JournalSocket {
  public enum Outcome: Equatable, Sendable {
    case taken
    /// The journal is behind with its reading.
    case full
    /// There is none, or it does not take this entry.
    case away
  }

  private let path: Path
  private var socket: Descriptor?

  /// `path` is connected to with the first entry.
  public init(_ path: Path = Path("/run/systemd/journal/socket")) { self.path = path }

  public func send(_ entry: JournalEntry) -> Outcome {
    let isNew = socket == nil
    if let outcome = trySending(entry) { return outcome }
    // A journal that was started anew has a new socket.
    socket = nil
    return isNew ? .away : trySending(entry) ?? .away
  }

  /// Nil where the socket is of no use.
  private func trySending(_ entry: JournalEntry) -> Outcome? {
    do throws(Errno) {
      if socket == nil {
        socket = Descriptor(
          owning: try unsafe path.withCString { (path) throws(Errno) in
            try retryingInterrupts { unsafe clinux_notify_connect(path) }
          })
      }
      guard let count = try socket?.write(entry.bytes.span) else { return nil }
      return count == entry.bytes.count ? .taken : .full
    } catch { return nil }
  }
}

/// Whether standard error of this process goes to systemd's journal: the environment names the file
/// that does (`JOURNAL_STREAM` of systemd.exec(5)), and a child that writes elsewhere has it, too.
public var isJournalStandardError: Bool {
  guard let text = unsafe getenv("JOURNAL_STREAM") else { return false }
  var status = stat()
  guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
  var name = ByteBuffer(capacity: 48)
  name.append(decimal: Int64(clamping: status.st_dev))
  name.append(":")
  name.append(decimal: Int64(clamping: status.st_ino))
  return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
    .span.elementsEqual(name.bytes)
}
