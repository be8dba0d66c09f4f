import Bytes
import LinuxIO
import Sensing

/// A file of sysfs or procfs that is read repeatedly: opened once, then one `pread(2)` for each
/// reading, without allocation.
final class KernelFile {
  /// Size of the buffer, enough for a number or a word; longer text is cut.
  static let byteCountMax = 64

  /// Name of the file in messages.
  let label: InlineText
  private let path: Path
  private let isReopened: Bool
  private var descriptor: Descriptor?
  private var buffer: ByteBuffer

  /// Opens nothing yet. `isReopened` says whether the path means the same device after it left and
  /// came back.
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

  /// Reads the present text of the file, and passes it to `body`. A file whose device left and came
  /// back is opened again, unless another device may have its path.
  ///
  /// - Throws: the error of `open(2)` or `pread(2)`.
  func read<Result>(_ body: (Span<UInt8>) -> Result) throws(Errno) -> Result {
    let wasOpen = isReopened && descriptor != nil
    do throws(Errno) {
      try fill()
    } catch .noSuchDevice where wasOpen {
      descriptor = nil
      try fill()
    }
    return buffer.tell(body)
  }

  /// Closes the file; the next reading opens it again.
  func close() { descriptor = nil }

  /// Reads and parses the present text of the file.
  ///
  /// - Throws: `.malformed` if `parse` returns nil; the errors of `read` as a `SourceFailure`.
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

  /// Returns the result or the failure of `parse(_:)` for storage.
  func answer<Result>(_ parse: (Span<UInt8>) -> Result?) -> Swift.Result<Result, SourceFailure> {
    do throws(SourceFailure) { return .success(try self.parse(parse)) } catch {
      return .failure(error)
    }
  }

  /// Whether the file exists, even if it cannot be opened; if it can, it stays open.
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

extension DeviceBus {
  /// Prefixes of the directories whose devices delay one another: the adapters of I2C, of which one
  /// behind a multiplexer waits for the one before it, and the masters of 1-Wire.
  private static let shared: [StaticString] = ["i2c-", "w1_bus_master"]

  /// Finds the bus of the device at a directory of sysfs, most often a link. A device without a
  /// shared bus has a bus of its own.
  init(ofDeviceAt directory: Path) {
    let place = Self.place(of: directory).bytes
    let bus = place.split(separator: UInt8(ascii: "/")).first { part in
      Self.shared.contains { [UInt8](part).span.starts(with: $0) }
    }
    let name = bus.map { [UInt8]($0) } ?? place
    self.init(named: name.span)
  }

  private static func place(of directory: Path) -> Path {
    // The reader of a missing device reports it.
    do throws(Errno) { return try target(ofLinkAt: directory) ?? directory } catch {
      return directory
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether this can be the name of a directory of the kernel.
  var isFileName: Bool {
    !isEmpty && self[0] != UInt8(ascii: ".") && isVisibleASCII
      && firstIndex(of: UInt8(ascii: "/")) == nil
  }
}
