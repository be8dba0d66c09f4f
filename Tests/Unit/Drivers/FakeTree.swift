import CLinux
import FailingReads
@testable import LinuxIO
import TestRun

/// A directory that stands for sysfs or procfs and goes with its owner.
final class FakeTree {
  private let root: String
  /// What was made below the root, in that order; a directory ends in `/`.
  private var entries: [String] = []

  init() throws {
    var template = Array("\(TestRun.folder.path)/XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(code: clinux_errno()) }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? remove("")
    unsafe rmdir(root)
  }

  var path: Path { Path([UInt8](root.utf8)) }

  /// Changes a file in place, so that who holds it open sees the new text as with sysfs.
  func write(_ text: String, to file: String) throws {
    try makeDirectories(of: file)
    note(file)
    let path = Path([UInt8]("\(root)/\(file)".utf8))
    try Descriptor(opening: path, mode: .writePrivate).writeAll([UInt8](text.utf8).span)
  }

  /// Changes the beginning of a file at once: who reads it meanwhile finds the old or the new.
  func overwrite(_ text: String, in file: String) throws {
    let mode = OpenMode(flags: O_WRONLY, permissions: 0)
    try Descriptor(opening: Path([UInt8]("\(root)/\(file)".utf8)), mode: mode)
      .writeAll([UInt8](text.utf8).span)
  }

  func write(_ files: [String: String], in directory: String) throws {
    for (file, text) in files { try write(text, to: "\(directory)/\(file)") }
  }

  /// A file that answers with an error of the kernel: EIO, which is what `/proc/self/mem` says of
  /// the address 0.
  func fail(_ file: String) throws {
    try remove(file)
    note(file)
    try check(unsafe symlink("/proc/self/mem", "\(root)/\(file)"))
  }

  /// A file that answers with this error of the kernel from now on, also where it is open.
  func fail(_ file: String, with code: Int32) throws {
    try write("\(FAILING_READ_MARK)\(code)", to: file)
  }

  /// A symbolic link with this text.
  func link(_ target: String, at file: String) throws {
    try makeDirectories(of: file)
    note(file)
    try check(unsafe symlink(target, "\(root)/\(file)"))
  }

  /// Removes a file or a directory and all that is in it.
  func remove(_ prefix: String) throws {
    for entry in entries.reversed() where entry == prefix || entry.hasPrefix(prefix) {
      let path = "\(root)/\(entry)"
      try check(unsafe entry.hasSuffix("/") ? rmdir(path) : unlink(path))
      entries.removeAll { $0 == entry }
    }
  }

  private func makeDirectories(of file: String) throws {
    var directory = ""
    for name in file.split(separator: "/").dropLast() {
      directory += "\(name)/"
      if entries.contains(directory) { continue }
      try check(unsafe mkdir("\(root)/\(directory)", 0o700))
      entries.append(directory)
    }
  }

  private func note(_ file: String) {
    if !entries.contains(file) { entries.append(file) }
  }

  private func check(_ result: Int32) throws {
    if result != 0 { throw Errno(code: clinux_errno()) }
  }
}
