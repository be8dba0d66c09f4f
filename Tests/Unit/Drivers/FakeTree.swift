import FailingReads
import Foundation
@testable import LinuxIO
import TestRun

/// A directory that stands for sysfs or procfs and goes with its owner.
final class FakeTree {
  private let root = TestRun.newPlace()

  init() throws {
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
  }

  deinit { try? remove("") }

  var path: Path { Path([UInt8](root.path.utf8)) }

  private func url(_ file: String) -> URL { root.appending(path: file) }

  /// Changes a file in place, so that who holds it open sees the new text as with sysfs.
  func write(_ text: String, to file: String) throws {
    try makeDirectory(of: file)
    try write(text, in: file, .writePrivate)
  }

  /// Changes the beginning of a file at once: who reads it meanwhile finds the old or the new.
  func overwrite(_ text: String, in file: String) throws {
    try write(text, in: file, OpenMode(flags: O_WRONLY, permissions: 0))
  }

  private func write(_ text: String, in file: String, _ mode: OpenMode) throws {
    try Descriptor(opening: path / [UInt8](file.utf8), mode: mode)
      .writeAll([UInt8](text.utf8).span)
  }

  func write(_ files: [String: String], in directory: String) throws {
    for (file, text) in files { try write(text, to: "\(directory)/\(file)") }
  }

  /// A file that answers with an error of the kernel: EIO, which is what `/proc/self/mem` says of
  /// the address 0.
  func fail(_ file: String) throws {
    try? remove(file)
    try link("/proc/self/mem", at: file)
  }

  /// A file that answers with this error of the kernel from now on, also where it is open.
  func fail(_ file: String, with code: Int32) throws {
    try write("\(FAILING_READ_MARK)\(code)", to: file)
  }

  /// A symbolic link with this text.
  func link(_ target: String, at file: String) throws {
    try makeDirectory(of: file)
    try FileManager.default.createSymbolicLink(
      atPath: url(file).path, withDestinationPath: target)
  }

  /// Removes a file, or a directory and all that is in it.
  func remove(_ file: String) throws { try FileManager.default.removeItem(at: url(file)) }

  private func makeDirectory(of file: String) throws {
    try FileManager.default.createDirectory(
      at: url(file).deletingLastPathComponent(), withIntermediateDirectories: true)
  }
}
