import Board
import Bytes
import CLinux
import LinuxIO

/// Where an export goes, with the memory of one buffer. A track tells where a person lives: only
/// its owner may read the file. A reader that closes its pipe ends the program, as is the custom
/// (SIGPIPE).
struct ExportOutput: ~Copyable {
  private static let bufferByteCount = 64 * 1024

  var buffer = ByteBuffer(capacity: bufferByteCount)
  private let descriptor: Descriptor
  /// The file, where it is one; nil for standard output.
  private let file: Path?
  private let isNew: Bool

  /// - Parameters:
  ///   - file: nil for standard output, which is closed at the end.
  ///   - replaces: whether the file may be there already.
  /// - Throws: why there is no such file.
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
    // One that was there could perhaps be read by others.
    try descriptor.makePrivate()
    return descriptor
  }

  /// Makes room for one more entry.
  mutating func makeRoom() throws(CommandFailure) {
    if buffer.freeCapacity < ExportFormat.entryByteCountMax { try flush() }
  }

  /// Writes what is left, and waits until all of it is on the disk.
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
