import Bytes
import CLinux
import LinuxIO
import Testing

@Suite struct FilesTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func read(_ file: String, byteCountMax: Int = 4096) throws -> [UInt8] {
    try readFile(at: directory.path(file), byteCountMax: byteCountMax)
  }

  // MARK: Reading

  @Test(arguments: [0, 1, 4095, 4096])
  func aFileUpToTheLimitIsReadWhole(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    try directory.write(bytes, to: "file")
    #expect(try read("file") == bytes)
  }

  @Test(arguments: [4097, 100_000])
  func aFileBeyondTheLimitIsRefused(count: Int) throws {
    try directory.write([UInt8](repeating: 1, count: count), to: "file")
    #expect(throws: Errno.fileTooLarge) { try read("file") }
  }

  @Test func aFileOfProcThatSaysItIsEmptyIsReadToItsEnd() throws {
    let text = try readFile(at: Path("/proc/self/status"), byteCountMax: 1 << 16)
    #expect(text.starts(with: [UInt8]("Name:")))
    #expect(text.last == UInt8(ascii: "\n"))
  }

  // MARK: Replacing

  private func replace(with bytes: [UInt8], in path: Path? = nil) throws {
    try replaceFile(named: "state", in: path ?? directory.path, with: bytes.span)
  }

  @Test func aFileIsReplacedAsAWholeAndNothingElseIsLeft() throws {
    try replace(with: [UInt8](repeating: 1, count: 5000))
    try replace(with: [2])
    #expect(try read("state") == [2])
    #expect(try directory.names() == ["state"])
  }

  @Test(arguments: [(0o600, false), (0o640, false), (0o604, true)] as [(mode_t, Bool)])
  func itIsKnownWhetherEveryUserMayReadAFile(_ mode: mode_t, _ mayRead: Bool) throws {
    try directory.write([1], to: "token")
    try check(unsafe chmod("\(directory.name)/token", mode))
    #expect(isReadableByAllUsers(directory.path("token")) == mayRead)
    #expect(!isReadableByAllUsers(directory.path("missing")))
  }

  @Test func aFileThatAllUsersCouldReadBecomesPrivate() throws {
    try directory.write([1], to: "state")
    try check(unsafe chmod("\(directory.name)/state", 0o644))
    try replace(with: [2])
    #expect(try directory.mode(of: "state") & 0o7777 == 0o600)
  }

  private var unfinishedName: String { "state.new\(getpid())" }

  @Test func whatAPowerCutLeftBehindIsNoObstacle() throws {
    try directory.write([UInt8](repeating: 9, count: 100), to: unfinishedName)
    try check(unsafe chmod("\(directory.name)/\(unfinishedName)", 0o644))
    try replace(with: [2])
    #expect(try read("state") == [2])
    #expect(try directory.names() == ["state"])
    #expect(try directory.mode(of: "state") & 0o7777 == 0o600)
  }

  @Test func aLinkThatWaitsForTheNewFileIsNotFollowed() throws {
    try directory.write([1], to: "elsewhere")
    try check(unsafe symlink("elsewhere", "\(directory.name)/\(unfinishedName)"))
    try replace(with: [2])
    #expect(try read("elsewhere") == [1])
    #expect(try read("state") == [2])
  }

  @Test func whatAnotherProcessIsWritingIsNotTakenFromIt() throws {
    try directory.write([1], to: "state.new1")
    try replace(with: [2])
    #expect(try directory.names() == ["state", "state.new1"])
  }

  @Test func whereThereIsNoDirectoryNothingIsMadeOrRead() {
    let nothing = directory.path("nothing")
    #expect(throws: Errno.noSuchFile) { try replace(with: [1], in: nothing) }
    #expect(throws: Errno.noSuchFile) { try makePrivateDirectory(at: nothing / "private") }
    #expect(throws: Errno.noSuchFile) { _ = try DirectoryReader(opening: nothing) }
    #expect(throws: Errno.noSuchFile) { try FileSystemSpace(holding: nothing) }
  }

  @Test func theOldFileSurvivesWhereTheNewOneCannotTakeItsPlace() throws {
    try check(unsafe mkdir("\(directory.name)/state", 0o700))
    #expect(throws: Errno.isDirectory) { try replace(with: [1]) }
    #expect(try directory.names() == ["state"], "the new one is not left lying about")
  }

  @Test(.enabled(if: geteuid() != 0, "root may write into a directory that is read-only"))
  func theOldFileSurvivesInADirectoryThatIsReadOnly() throws {
    try replace(with: [1])
    try check(unsafe chmod(directory.name, 0o500))
    defer { unsafe chmod(directory.name, 0o700) }
    #expect(throws: Errno.notPermitted) { try replace(with: [2]) }
    #expect(try read("state") == [1])
  }

  @Test func aFileIsRemovedAndOneThatIsNotThereIsNoError() throws {
    try directory.write([1], to: "file")
    try removeFile(at: directory.path("file"))
    try removeFile(at: directory.path("file"))
    #expect(try directory.names() == [])
    #expect(throws: Errno.isDirectory) { try removeFile(at: directory.path) }
  }

  // MARK: Directories

  @Test func aDirectoryIsMadeForItsOwnerAlone() throws {
    try makePrivateDirectory(at: directory.path("private"))
    #expect(try directory.mode(of: "private") == mode_t(S_IFDIR) | 0o700)
  }

  @Test func aDirectoryThatIsThereIsLeftAsItIs() throws {
    try check(unsafe mkdir("\(directory.name)/shared", 0o700))
    try check(unsafe chmod("\(directory.name)/shared", 0o755))
    try makePrivateDirectory(at: directory.path("shared"))
    #expect(try directory.mode(of: "shared") & 0o7777 == 0o755)
  }

  @Test func aNewFileOfAPersonIsForAllUsersWhateverTheMask() throws {
    let before = umask(0o077)
    defer { umask(before) }
    try writeNewFile(at: directory.path("settings") / "file", [1].span)
    #expect(try directory.mode(of: "settings") & 0o7777 == 0o755)
    #expect(try directory.mode(of: "settings/file") & 0o7777 == 0o644)
    #expect(throws: Errno.fileExists) {
      try writeNewFile(at: directory.path("settings") / "file", [2].span)
    }
  }

  @Test func aDirectoryIsReadAgainAsItIsThen() throws {
    let reader = try DirectoryReader(opening: directory.path)
    func names() -> Set<String> {
      var names: Set<String> = []
      reader.forEachName { names.insert(String(decoding: [UInt8]($0), as: UTF8.self)) }
      return names
    }
    #expect(names() == [])
    try directory.write([], to: "BAT0")
    try directory.write([], to: ".hidden")
    try directory.write([], to: "...")
    #expect(names() == ["BAT0", ".hidden", "..."])
    try removeFile(at: directory.path("BAT0"))
    #expect(names() == [".hidden", "..."])
  }

  @Test func readingADirectoryEndsWithTheFirstError() throws {
    for name in ["a", "b", "c"] { try directory.write([], to: name) }
    let reader = try DirectoryReader(opening: directory.path)
    var count = 0
    #expect(throws: Errno.inputOutput) {
      try reader.forEachName { (_) throws(Errno) in
        count += 1
        throw .inputOutput
      }
    }
    #expect(count == 1)
  }

  @Test func theRootHasRoom() throws {
    let space = try FileSystemSpace(holding: Path("/"))
    #expect(space.totalBytes > 0)
    #expect(space.availableBytes <= space.totalBytes)
  }
}

@Suite struct PathTests {
  @Test func aPathKeepsItsBytesAndGrowsByNames() {
    let path = Path([0x2F, 0xFF, 0x20])
    #expect((path / "a" / [0xFE]).bytes == [0x2F, 0xFF, 0x20, 0x2F, 0x61, 0x2F, 0xFE])
    #expect(Path("/sys").bytes == [UInt8]("/sys"))
  }

  @Test(arguments: [
    ("/var/lib/homeward", "/var/lib", "homeward"), ("/homeward//", "/", "homeward"),
    ("homeward", ".", "homeward"), ("a/b/", "a", "b"), ("/", "/", ""),
  ])
  func aPathIsANameInAParent(text: String, parent: String, name: String) {
    let path = Path([UInt8](text.utf8))
    #expect(path.parent.bytes == [UInt8](parent.utf8))
    #expect(path.name.bytes == [UInt8](name.utf8))
  }
}
