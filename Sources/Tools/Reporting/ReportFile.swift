import Board
import Bytes
import CLinux
import LinuxIO

/// File of a bug report, which only its owner can read. It replaces an earlier report and nothing
/// else: no other file, and none behind a link.
struct ReportFile {
  static let usualName: StaticString = "homeward-report.txt"

  let path: Path

  /// Checks that a report may be written there, before the work is done.
  init(at path: Path) throws(CommandFailure) {
    self.path = path
    do throws(Errno) {
      guard let start = try beginning() else { return }
      if start.span.starts(with: BugReport.title) { return }
      throw .fileExists
    } catch Errno(code: ELOOP) {
      throw Self.failure(path, "is a link, and the report is not written through links")
    } catch .fileExists {
      throw Self.failure(path, "already exists, and is not a report of homeward")
    } catch .isPipe {
      throw Self.failure(path, "already exists, and is not a file")
    } catch {
      throw Self.failure(path, "cannot be written: \(error)")
    }
  }

  /// Returns the beginning of the present file; nil if there is none.
  private func beginning() throws(Errno) -> [UInt8]? {
    let folder = try Directory(opening: path.parent)
    var start = ByteBuffer(capacity: BugReport.title.utf8CodeUnitCount)
    do throws(Errno) {
      _ = try folder.open(path.name, mode: .read).readToEnd(into: &start)
    } catch .noSuchFile {
      return nil
    }
    return [UInt8](start.bytes)
  }

  func write(_ text: [UInt8]) throws(CommandFailure) {
    do throws(Errno) {
      try Directory(opening: path.parent).replace(path.name, with: text.span)
    } catch {
      throw Self.failure(path, "cannot be written: \(error)")
    }
  }

  private static func failure(_ path: Path, _ words: MessageText) -> CommandFailure {
    CommandFailure(
      code: .cannotCreate, text: "\(path) \(words); name another file after --report")
  }
}
