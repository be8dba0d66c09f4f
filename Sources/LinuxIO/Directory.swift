import Bytes
import CLinux

/// Open directory, whose files are named without a path.
///
/// A name that is a link is an error and never followed: the directory may belong to another user,
/// who must not choose which file of root is written. Files that root creates belong to the owner
/// of the directory: the service that runs as that user must be able to read them.
public struct Directory: ~Copyable {
  private let descriptor: Descriptor

  public init(opening path: Path) throws(Errno) {
    descriptor = try Descriptor(opening: path, mode: .directory)
  }

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  public func directory(_ name: Path) throws(Errno) -> Directory {
    Directory(try open(name, mode: .directory))
  }

  /// Opens a file; a new one belongs to the owner of the directory.
  public func open(_ name: Path, mode: OpenMode) throws(Errno) -> Descriptor {
    let file = Descriptor(
      owning: try unsafe name.call {
        unsafe clinux_openat(
          descriptor.number, $0, mode.flags | O_NOFOLLOW, mode.permissions, mode.wantsFile)
      })
    if mode.flags & O_CREAT != 0 { try give(file) }
    return file
  }

  /// Creates a directory that only the owner of this one can enter.
  public func makePrivateDirectory(_ name: Path) throws(Errno) {
    try makeDirectory(name, permissions: 0o700)
  }

  /// Creates a directory that every user can enter.
  public func makePublicDirectory(_ name: Path) throws(Errno) {
    try makeDirectory(name, permissions: 0o755)
    // Also if the mask of the shell excludes others.
    let new = try open(name, mode: .directory)
    _ = try retryingInterrupts { fchmod(new.number, 0o755) }
  }

  private func makeDirectory(_ name: Path, permissions: mode_t) throws(Errno) {
    _ = try unsafe name.call { unsafe mkdirat(descriptor.number, $0, permissions) }
    try adopt(name)
  }

  /// Reads the whole file, at most `byteCountMax` bytes. Throws `.fileTooLarge` for a larger one.
  public func read(_ name: Path, byteCountMax: Int) throws(Errno) -> [UInt8] {
    let file = try open(name, mode: .read)
    var buffer = ByteBuffer(capacity: byteCountMax + 1)
    guard try file.readToEnd(into: &buffer) else { throw .fileTooLarge }
    return [UInt8](buffer.bytes)
  }

  /// Assigns a new directory in this one to its owner, and waits until its name is on the disk.
  func adopt(_ name: Path) throws(Errno) {
    try give(try open(name, mode: .directory))
    try synchronize()
  }

  /// Removes a file; a missing file is not an error.
  public func remove(_ name: Path) throws(Errno) {
    do throws(Errno) {
      _ = try unsafe name.call { unsafe unlinkat(descriptor.number, $0, 0) }
    } catch .noSuchFile {}
  }

  /// Renames a file and replaces an existing file of the new name.
  public func rename(_ old: Path, to new: Path) throws(Errno) {
    try renameFile(at: old, to: new, in: descriptor.number)
  }

  /// Waits until all changes of names are on the disk.
  public func synchronize() throws(Errno) { try descriptor.synchronize() }

  private func give(_ file: borrowing Descriptor) throws(Errno) {
    guard geteuid() == 0 else { return }
    let owner = try descriptor.status()
    guard owner.user != 0 else { return }
    _ = try retryingInterrupts { fchown(file.number, owner.user, owner.group) }
  }
}

extension Directory {
  /// Replaces the file `name` so that after a loss of power either the old or the new contents
  /// exist. Only the owner can read it, or every user if it `isPublic`.
  ///
  /// The temporary file has the number of this process in its name, because another process may
  /// replace the same file at the same time.
  public func replace(
    _ name: Path, with bytes: Span<UInt8>, isPublic: Bool = false
  ) throws(Errno) {
    let new = Path(name.bytes + (".new\(Int(getpid()))" as MessageText).bytes)
    do throws(Errno) {
      // A process that was killed may have left it, if it had the same number.
      try remove(new)
      let file = try open(new, mode: .writeNewPrivate)
      if isPublic { _ = try retryingInterrupts { fchmod(file.number, 0o644) } }
      try file.writeAll(bytes)
      try putInPlace(file, named: new, as: name)
    } catch {
      try? remove(new)
      throw error
    }
  }

  /// Waits until a complete file is on the disk, and renames it. After a loss of power either it or
  /// the former file of that name exists.
  ///
  /// FAT keeps size and place of a file in the entry of its name, and writes that with the file. So
  /// the former file stays open, and its place taken, until its entry has the new place. Before
  /// that the temporary entry must be gone: `fsck` empties one of two files with the same place.
  public func putInPlace(
    _ file: borrowing Descriptor, named new: Path, as name: Path
  ) throws(Errno) {
    try file.synchronize()
    let former = try? open(name, mode: .read)
    try rename(new, to: name)
    try synchronize()
    try file.synchronize()
    _ = consume former
  }

  /// Removes the temporary files of `replace` that a killed process or a loss of power left of
  /// these files. A person may keep a file such as hosts.new there.
  ///
  /// A process that is replacing a file at this moment gets `.noSuchFile`.
  public func removeUnfinished(of path: Path, named names: [[UInt8]]) throws(Errno) {
    try DirectoryReader(opening: path).forEachName { (name) throws(Errno) in
      let bytes = [UInt8](name)
      guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")) else { return }
      let end = name.extracting(dot...)
      guard end.starts(with: ".new") else { return }
      let number = bytes[(dot + 4)...]
      guard !number.isEmpty, number.allSatisfy({ $0.isASCIIDigit }),
        names.contains([UInt8](bytes[..<dot]))
      else { return }
      try remove(Path(bytes))
    }
  }
}
