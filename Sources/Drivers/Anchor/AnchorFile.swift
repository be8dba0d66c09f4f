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
  /// A file that cannot be read, or that a newer version wrote, is not written over.
  private var mayWrite = true

  init(in directory: Path) { self.directory = directory }

  /// What an earlier run kept; nil where there is nothing.
  ///
  /// - Throws: what is wrong with the file.
  mutating func read() throws(SourceFailure) -> KeptAnchor? {
    let kept: [UInt8]
    do throws(Errno) {
      kept = try readFile(
        at: directory / Self.fileName, byteCountMax: Self.byteCountMax)
    } catch .noSuchFile {
      return nil
    } catch .fileTooLarge {
      kept = []
    } catch {
      mayWrite = false
      throw SourceFailure(error, of: Self.name)
    }
    return try take(kept)
  }

  private mutating func take(_ bytes: [UInt8]) throws(SourceFailure) -> KeptAnchor {
    do throws(KeptFrameError) {
      return try KeptAnchor(file: bytes.span)
    } catch .damaged {
      throw Self.malformed("a damaged file")
    } catch {
      mayWrite = false
      throw Self.malformed("a file of a newer version")
    }
  }

  /// Returns why it is not kept; nil where it is.
  func write(_ kept: KeptAnchor) -> SourceFailure? {
    guard mayWrite else { return Self.malformed("a file that is not written over") }
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
