public import Foundation

/// One run of the tests: where its files are, and what it started. Nothing of it stays where the
/// run ends, and nothing for long where it is killed.
public enum TestRun {
  /// The folder of this run. It goes with the run; where the run is killed the next one removes it.
  public static let folder: URL = {
    let directory = URL.temporaryDirectory
    removeFoldersOfDeadRuns(in: directory)
    guard let folder = makeFolder(in: directory) else {
      fatalError("no folder for the tests can be made in \(directory.path)")
    }
    atexit { removeEverything(at: TestRun.folder) }
    return folder
  }()

  /// Has a write to a program that has ended fail, instead of ending the tests. Programs that are
  /// started are ended by it all the same.
  public static let outlivesBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

  /// Where nothing is yet, in the folder of this run.
  public static func newPlace() -> URL { folder.appending(path: UUID().uuidString) }

  // MARK: Folders

  static let prefix = "homeward-run-"
  static let lock = "lock"

  /// Makes a folder with a lock in it that is held until the process ends, however it ends.
  static func makeFolder(in directory: URL) -> URL? {
    var template = Array("\(directory.path)/\(prefix)XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { return nil }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // It has its name only when it is held: one without a name is of a run that begins.
    guard hold("\(path)/\(lock).new"),
      unsafe rename("\(path)/\(lock).new", "\(path)/\(lock)") == 0
    else { return nil }
    // Programs that tests start as another user get at their own folders in it.
    guard unsafe chmod(path, 0o755) == 0 else { return nil }
    return URL(filePath: path, directoryHint: .isDirectory)
  }

  /// The descriptor stays open, and no program that is started gets it.
  private static func hold(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  /// Removes what runs left behind that were killed: the kernel took their locks back.
  static func removeFoldersOfDeadRuns(in directory: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let folder = directory.appending(path: name)
      let descriptor = unsafe open(folder.appending(path: lock).path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { removeEverything(at: folder) }
      close(descriptor)
    }
  }

  /// A test may have mounted something there.
  private static func removeEverything(at folder: URL) {
    let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      if fields.count > 1, fields[1].hasPrefix(folder.path + "/") {
        _ = unsafe umount2(String(fields[1]), Int32(MNT_DETACH))
      }
    }
    try? FileManager.default.removeItem(at: folder)
  }
}
