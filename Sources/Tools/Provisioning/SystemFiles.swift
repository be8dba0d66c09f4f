import Bytes
import LinuxIO

/// Files of the system below a folder: `/`, or the root of an image. No symbolic link is followed,
/// because that of an image would lead into this machine.
struct SystemFiles {
  /// Folder, by the steps from the root.
  struct Folder {
    static let etc = Folder(steps: ["etc"])
    static let configuration = Folder(steps: ["etc", "homeward"])
    static let networks = Folder(steps: ["etc", "NetworkManager", "system-connections"])
    static let keys = Folder(steps: ["root", ".ssh"], isPrivate: true)
    static let units = Folder(steps: ["etc", "systemd", "system"])
    static let kernel = Folder(steps: ["proc"])
    static let state = Folder(steps: ["var", "lib", "homeward"], isPrivate: true)

    fileprivate let steps: [StaticString]
    /// Whether only its owner can enter it.
    fileprivate var isPrivate = false

    var path: [UInt8] { steps.flatMap { [UInt8(ascii: "/")] + [UInt8]($0) } }
  }

  private static let byteCountMax = 64 * 1024

  let root: Path

  /// Whether the files are those of this machine.
  var isThisMachine: Bool { root.bytes.span.elementsEqual("/") }

  func path(of folder: Folder) -> Path {
    Path(root.bytes.withoutTrailingSlashes(keeping: 0) + folder.path)
  }

  /// Returns the content of a file; nil if it does not exist.
  func read(_ name: [UInt8], in folder: Folder) throws(Errno) -> [UInt8]? {
    do throws(Errno) {
      return try open(folder, creates: false).read(Path(name), byteCountMax: Self.byteCountMax)
    } catch .noSuchFile {
      return nil
    }
  }

  /// Writes a file, unless it has this content. A new one belongs to the owner of the folder; if it
  /// `isPublic`, every user can read it, otherwise its owner.
  func write(
    _ bytes: [UInt8], to name: [UInt8], in folder: Folder, isPublic: Bool = false
  ) throws(Errno) {
    let directory = try open(folder, creates: true)
    if (try? directory.read(Path(name), byteCountMax: bytes.count)) == bytes { return }
    try directory.replace(Path(name), with: bytes.span, isPublic: isPublic)
  }

  /// Removes a file; a missing file is not an error.
  func remove(_ name: [UInt8], in folder: Folder) throws(Errno) {
    do throws(Errno) { try open(folder, creates: false).remove(Path(name)) } catch .noSuchFile {}
  }

  /// Removes what a loss of power left of these files.
  func removeUnfinished(_ names: [[UInt8]], in folder: Folder) throws(Errno) {
    try open(folder, creates: false).removeUnfinished(of: path(of: folder), named: names)
  }

  private func open(_ folder: Folder, creates: Bool) throws(Errno) -> Directory {
    var directory = try Directory(opening: root)
    for index in folder.steps.indices {
      let step = Path(folder.steps[index])
      do throws(Errno) { directory = try directory.directory(step) } catch .noSuchFile where creates
      {
        let isPrivate = folder.isPrivate && index == folder.steps.count - 1
        if isPrivate {
          try directory.makePrivateDirectory(step)
        } else {
          try directory.makePublicDirectory(step)
        }
        directory = try directory.directory(step)
      }
    }
    return directory
  }
}
