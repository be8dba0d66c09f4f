import Bytes
import LinuxIO
import Sensing

/// A file of sysfs or procfs that is read again and again: opened once, then one `pread(2)` for
/// each reading, with no allocation.
final class KernelFile {
  /// Enough for a number or a word; what is longer is cut.
  static let byteCountMax = 64

  /// What messages call it.
  let label: InlineText
  private let path: Path
  private let isReopened: Bool
  private var descriptor: Descriptor?
  private var buffer: ByteBuffer

  /// Opens nothing yet. `isReopened` says whether the same path is the same device after it left
  /// and came back.
  init(
    _ path: Path, label: InlineText, byteCountMax: Int = KernelFile.byteCountMax,
    isReopened: Bool = true
  ) {
    self.path = path
    self.label = label
    self.isReopened = isReopened
    buffer = ByteBuffer(capacity: byteCountMax)
  }

  /// Names the file by its path.
  convenience init(_ path: Path, byteCountMax: Int = KernelFile.byteCountMax) {
    self.init(path, label: InlineText(path.bytes.span), byteCountMax: byteCountMax)
  }

  /// Reads what the file says now, and tells `body`. A file whose device left and came back is
  /// opened again, unless another device may be there now.
  ///
  /// - Throws: what `open(2)` or `pread(2)` says.
  func read<Result>(_ body: (Span<UInt8>) -> Result) throws(Errno) -> Result {
    try refresh()
    return withText(body)
  }

  /// The same for `withText`.
  func refresh() throws(Errno) {
    let wasOpen = isReopened && descriptor != nil
    do throws(Errno) {
      try fill()
    } catch .noSuchDevice where wasOpen {
      descriptor = nil
      try fill()
    }
  }

  /// What was read last.
  func withText<Result>(_ body: (Span<UInt8>) -> Result) -> Result { buffer.tell(body) }

  /// The next reading opens the file again.
  func close() { descriptor = nil }

  /// Reads what the file says now and makes something of it.
  ///
  /// - Throws: `.malformed` where `parse` answers nil, else what `read` throws in the words of a
  ///   source.
  func parse<Result>(_ parse: (Span<UInt8>) -> Result?) throws(SourceFailure) -> Result {
    let result: Result?
    do throws(Errno) { result = try read(parse) } catch {
      throw SourceFailure(error, of: label)
    }
    guard let result else {
      throw .malformed(label, found: buffer.tell { InlineText($0.trimmed()) })
    }
    return result
  }

  /// The same, to be kept.
  func answer<Result>(_ parse: (Span<UInt8>) -> Result?) -> Swift.Result<Result, SourceFailure> {
    do throws(SourceFailure) { return .success(try self.parse(parse)) } catch {
      return .failure(error)
    }
  }

  /// Whether the file can be opened or is at least there; opened, it stays so.
  var exists: Bool {
    do throws(Errno) { try open() } catch .noSuchFile { return false } catch {}
    return true
  }

  private func fill() throws(Errno) {
    try open()
    buffer.removeAll()
    try descriptor?.readFromStart(into: &buffer)
  }

  private func open() throws(Errno) {
    guard descriptor == nil else { return }
    descriptor = try Descriptor(opening: path, mode: .read)
  }
}

extension ByteBuffer {
  /// Calls `body` with the bytes; a span of a buffer that an object owns cannot leave the object.
  fileprivate func tell<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(bytes) }
}
