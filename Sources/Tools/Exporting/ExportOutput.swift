import Board
import Bytes
import CLinux
import LinuxIO

/// Destination of an export, with the memory of one buffer. A track shows where a person lives:
/// only its owner may read the file. A reader that closes its pipe ends the program, as usual
/// (SIGPIPE).
struct ExportOutput: ~Copyable {
  private static let bufferByteCount = 64 * 1024

  var buffer = ByteBuffer(capacity: bufferByteCount)
  private let descriptor: Descriptor
  /// Nil for standard output.
  private let file: Path?
  private let isNew: Bool

  /// Opens a file, or standard output for nil, which is closed at the end. `replaces`: whether the
  /// file may exist already.
  init(to file: [UInt8]?, replaces: Bool) throws(CommandFailure) {
    isNew = !replaces
    self.file = file.map { Path($0) }
    guard let path = self.file else {
      descriptor = Descriptor(owning: STDOUT_FILENO)
      return
    }
    do throws(Errno) {
      descriptor = try Self.opened(path, replaces: replaces)
    } catch Errno(code: EEXIST) {
      throw CommandFailure(
        code: .cannotCreate,
        text: "\(path) already exists; name another file, or replace it with --force")
    } catch {
      throw CommandFailure(code: .cannotCreate, text: "\(path) cannot be created: \(error)")
    }
  }

  private static func opened(_ path: Path, replaces: Bool) throws(Errno) -> Descriptor {
    guard replaces else { return try Descriptor(opening: path, mode: .writeNewPrivate) }
    let descriptor = try Descriptor(opening: path, mode: .writePrivate)
    // An existing file may be readable by other users.
    try descriptor.makePrivate()
    return descriptor
  }

  /// Makes room for one more entry.
  mutating func makeRoom() throws(CommandFailure) {
    if buffer.freeCapacity < ExportFormat.entryByteCountMax { try flush() }
  }

  /// Writes the rest, and waits until a new file is on the disk.
  mutating func finish() throws(CommandFailure) {
    try flush()
    guard file != nil, isNew else { return }
    do throws(Errno) { try descriptor.synchronize() } catch { throw failure(error) }
  }

  private mutating func flush() throws(CommandFailure) {
    let bytes = [UInt8](buffer.bytes).shown(on: descriptor.number)
    do throws(Errno) { try descriptor.writeAll(bytes.span) } catch { throw failure(error) }
    buffer.removeAll()
  }

  private func failure(_ error: Errno) -> CommandFailure {
    guard let file else {
      return CommandFailure(
        code: .inputOutput, text: "standard output cannot be written: \(error)")
    }
    guard isNew else {
      return CommandFailure(
        code: .inputOutput, text: "\(file) cannot be written completely: \(error)")
    }
    try? removeFile(at: file)
    return CommandFailure(
      code: .inputOutput,
      text: "\(file) cannot be written completely: \(error); the incomplete file was removed")
  }
}
