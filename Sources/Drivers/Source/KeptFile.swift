import Bytes
import LinuxIO
import Sensing

/// A file of the state directory that outlives restarts and power cuts. It is replaced as a whole,
/// and only its owner can read it.
///
/// A file that cannot be read, or that a newer version wrote, is not overwritten, because it may
/// become readable.
struct KeptFile {
  private let directory: Path
  private let fileName: StaticString
  private let byteCountMax: Int
  /// Whether the state of an earlier run was read, or is lost.
  var isRead = false

  init(_ fileName: StaticString, in directory: Path, byteCountMax: Int) {
    self.directory = directory
    self.fileName = fileName
    self.byteCountMax = byteCountMax
  }

  /// Name of the file in messages.
  private var name: InlineText { InlineText(fileName) }

  /// Returns what `parse` makes of the state of an earlier run; nil if there is none.
  ///
  /// - Throws: the fault of the file; it can be read again unless `isRead`.
  mutating func read<Kept>(
    _ parse: ([UInt8]) throws(KeptFrameError) -> Kept
  ) throws(SourceFailure) -> Kept? {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try readFile(at: directory / fileName, byteCountMax: byteCountMax)
    } catch .noSuchFile {
      isRead = true
      return nil
    } catch .fileTooLarge {
      bytes = []
    } catch {
      throw SourceFailure(error, of: name)
    }
    do throws(KeptFrameError) {
      let kept = try parse(bytes)
      isRead = true
      return kept
    } catch .damaged {
      isRead = true
      throw .malformed(name, found: InlineText("a damaged file"))
    } catch {
      throw .malformed(name, found: InlineText("a file of a newer version"))
    }
  }

  func write(_ contents: Span<UInt8>) throws(SourceFailure) {
    do throws(Errno) {
      try replaceFile(named: fileName, in: directory, with: contents)
    } catch {
      throw SourceFailure(error, of: name)
    }
  }
}
