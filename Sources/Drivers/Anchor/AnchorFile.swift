import Bytes
import LinuxIO
import Sensing

/// The file that keeps the anchor watch over restarts and power cuts. It is replaced as a whole,
/// and only its owner can read it: it says where the boat is.
struct AnchorFile {
  static let fileName: StaticString = "anchor.watch"
  /// What messages call it.
  static var name: InlineText { InlineText(fileName) }

  /// Longer than the file of this version: one of a newer version is known by its beginning.
  private static let byteCountMax = 256

  let directory: Path
  /// Whether it is over with what an earlier run kept: it was read, or is lost. Until then the file
  /// is not written over: it may become readable.
  var isRead = false

  init(in directory: Path) { self.directory = directory }

  /// What an earlier run kept; nil where there is nothing.
  ///
  /// - Throws: what is wrong with the file; it can be read again unless `isRead`.
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

  /// Returns why it is not kept; nil where it is.
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
