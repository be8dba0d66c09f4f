import Bytes
import LinuxIO
import Sensing

/// The file that stores the anchor watch across restarts and power cuts. It is replaced as a whole,
/// and only its owner can read it, because it contains the place of the boat.
struct AnchorFile {
  static let fileName: StaticString = "anchor.watch"
  /// Name of the file in messages.
  static var name: InlineText { InlineText(fileName) }

  /// Limit longer than a file of this version: a newer version is recognised by its beginning.
  private static let byteCountMax = 256

  let directory: Path
  /// Whether the watch of an earlier run was read, or is lost. Until then the file is not
  /// overwritten, because it may become readable.
  var isRead = false

  init(in directory: Path) { self.directory = directory }

  /// Reads the watch of an earlier run; nil if there is none.
  ///
  /// - Throws: the fault of the file; it can be read again unless `isRead`.
  mutating func read() throws(SourceFailure) -> KeptAnchor? {
    let kept: [UInt8]
    do throws(Errno) {
      kept = try readFile(
        at: directory / Self.fileName, byteCountMax: Self.byteCountMax)
    } catch .noSuchFile {
      isRead = true
      return nil
    } catch .fileTooLarge {
      kept = []
    } catch {
      throw SourceFailure(error, of: Self.name)
    }
    return try take(kept)
  }

  private mutating func take(_ bytes: [UInt8]) throws(SourceFailure) -> KeptAnchor {
    do throws(KeptFrameError) {
      let kept = try KeptAnchor(file: bytes.span)
      isRead = true
      return kept
    } catch .damaged {
      isRead = true
      throw Self.malformed("a damaged file")
    } catch {
      throw Self.malformed("a file of a newer version")
    }
  }

  /// Writes the file; returns the failure, or nil if it is written.
  func write(_ kept: KeptAnchor) -> SourceFailure? {
    do throws(Errno) {
      try replaceFile(named: Self.fileName, in: directory, with: kept.file.bytes)
      return nil
    } catch {
      return SourceFailure(error, of: Self.name)
    }
  }

  private static func malformed(_ found: StaticString) -> SourceFailure {
    .malformed(Self.name, found: InlineText(found))
  }
}
