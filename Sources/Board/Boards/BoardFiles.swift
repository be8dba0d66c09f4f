import Bytes
public import LinuxIO
import YAML

public struct BoardFiles: Sendable {
  /// Folder of the user's files, which take precedence.
  public static let ownFolder: StaticString = "/etc/homeward/boards"
  /// Folder of the package's files.
  public static let packagedFolder: StaticString = "/usr/share/homeward/boards"
  /// Maximum number of files to read in a folder.
  private static let filesMax = 512
  private static let fileByteCountMax = 64 * 1024

  private let folders: [Path]

  /// Creates the files of these folders, in the order of precedence.
  public init(folders: [Path]) { self.folders = folders }

  /// The user's files, then those of the program.
  public init(packagedIn folder: [UInt8]) {
    self.init(folders: [Path(Self.ownFolder), Path(folder)])
  }

  /// Returns the board file of this machine: the one whose word stands first in the device tree,
  /// one with a `model` before one without, a user's file before others. Nil if none matches.
  ///
  /// A file without any word of the device tree is not parsed; a failure is that of a file that may
  /// be of this machine.
  public func board(of tree: DeviceTree) throws(CommandFailure) -> BoardFile? {
    var best: (rank: Int, board: BoardFile)?
    for folder in folders {
      for name in try fileNames(in: folder) {
        let path = folder / name
        let bytes = try Self.read(path)
        let words = tree.compatible
        guard words.contains(where: { bytes.span.contains($0.span) }) else { continue }
        let board = try Self.parse(bytes, of: path)
        guard let rank = board.rank(in: tree), rank < best?.rank ?? Int.max else { continue }
        best = (rank, board)
      }
    }
    return best?.board
  }

  /// Returns the board whose file has this name, without `.yaml`; nil if there is none.
  public func board(named name: [UInt8]) throws(CommandFailure) -> BoardFile? {
    let file = name + [UInt8](".yaml")
    for folder in folders where try fileNames(in: folder).contains(file) {
      return try Self.board(at: folder / file)
    }
    return nil
  }

  public func names() throws(CommandFailure) -> [[UInt8]] {
    var names: [[UInt8]] = []
    for folder in folders {
      for file in try fileNames(in: folder) {
        let name = [UInt8](file.dropLast(5))
        if !names.contains(name) { names.append(name) }
      }
    }
    return names
  }

  public static func board(at path: Path) throws(CommandFailure) -> BoardFile {
    try parse(try read(path), of: path)
  }

  private static func read(_ path: Path) throws(CommandFailure) -> [UInt8] {
    do throws(Errno) { return try readFile(at: path, byteCountMax: fileByteCountMax) } catch {
      throw CommandFailure(unreadable: path, error)
    }
  }

  private static func parse(
    _ bytes: [UInt8], of path: Path
  ) throws(CommandFailure) -> BoardFile {
    do throws(ConfigurationErrors) { return try BoardFile.parse(bytes) } catch {
      // Each problem has its line and column.
      let lines = error.rendered(fileName: path.bytes).dropLast()
      throw CommandFailure(code: .configuration, text: MessageText(bytes: [UInt8](lines)))
    }
  }

  /// Returns the names in a folder that end in `.yaml`, in the order of their bytes; empty if the
  /// folder does not exist.
  private func fileNames(in folder: Path) throws(CommandFailure) -> [[UInt8]] {
    var names: [[UInt8]] = []
    do throws(Errno) {
      try DirectoryReader(opening: folder).forEachName { (name) throws(Errno) in
        let isBoard = name.count > 5 && name.extracting((name.count - 5)...).elementsEqual(".yaml")
        if isBoard, names.count < Self.filesMax { names.append([UInt8](name)) }
      }
    } catch .noSuchFile {
      return []
    } catch {
      throw CommandFailure(unreadable: folder, error)
    }
    return names.sorted { Text($0) < Text($1) }
  }
}

extension BoardFile {
  /// Returns how exactly the board matches a device tree, 0 for the best match; nil if it does not.
  fileprivate func rank(in tree: DeviceTree) -> Int? {
    guard let place = tree.compatible.firstIndex(where: { compatible.contains($0) }) else {
      return nil
    }
    guard let model else { return 2 * place + 1 }
    return tree.model.span.starts(with: model.span) ? 2 * place : nil
  }
}

extension CommandFailure {
  init(unreadable path: Path, _ error: Errno) {
    if error == .notPermitted {
      self.init(notPermitted: path)
    } else {
      self.init(code: .noInput, text: "\(path) cannot be read: \(error)")
    }
  }

  /// The failure to find the board file of the machine with these words in its device tree; they
  /// are empty if there is no tree.
  public static func unknownBoard(_ compatible: [[UInt8]]) -> CommandFailure {
    if compatible.isEmpty {
      return CommandFailure(
        code: .noInput,
        text: "this machine has no device tree, which identifies the board; name a board with"
          + " --board")
    }
    let words = [UInt8](compatible.joined(separator: [UInt8](", "))).printable
    return CommandFailure(
      code: .noInput,
      text: "no board file matches this board, whose device tree contains \(bytes: words);"
        + " \(BoardFiles.packagedFolder)/README.md explains how to write one into"
        + " \(BoardFiles.ownFolder)")
  }

  /// The failure to find a board file by its name.
  public static func unknownBoard(named name: [UInt8], among names: [[UInt8]]) -> CommandFailure {
    let nearest = Suggestion.index(nearestTo: name, in: names)
    let remedy: MessageText =
      nearest.map { "did you mean \"\(bytes: names[$0].printable)\"?" }
      ?? "the files are in \(BoardFiles.packagedFolder)"
    return CommandFailure(
      code: .noInput, text: "the board file \(quoted: name) does not exist; \(remedy)")
  }
}
