import CLinux
import LinuxIO
import TestRun
import Testing

/// A device at the other end of a serial cable: a pseudo terminal, and a name for it that stays the
/// same when it is plugged in again.
@safe final class FakeSerialDevice {
  private let tree: FakeTree
  private let link: String
  private var cable: PseudoTerminal?
  private var end: Int32 { cable?.person ?? -1 }
  /// Where the driver finds it.
  var path: [UInt8] { [UInt8](link.utf8) }

  /// Not plugged in.
  init() throws {
    tree = try FakeTree()
    link = string(tree.path.bytes) + "/cable-VE4XYZ-if00-port0"
  }

  func plugIn() throws {
    let cable = try PseudoTerminal()
    guard unsafe symlink(cable.path, link) == 0 else { throw Errno(code: clinux_errno()) }
    self.cable = cable
  }

  func unplug() {
    unsafe unlink(link)
    cable = nil
  }

  func say(_ bytes: [UInt8]) throws {
    let count = unsafe bytes.withUnsafeBytes { unsafe write(end, $0.baseAddress, $0.count) }
    try #require(count == bytes.count)
  }

  /// What was sent to it.
  var heardByteCount: Int {
    var ready = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLIN) != 0 else { return 0 }
    var bytes = [UInt8](repeating: 0, count: 256)
    return unsafe read(end, &bytes, bytes.count)
  }

  /// A block of VE.Direct: `label value` lines.
  func sayBlock(_ lines: String) throws {
    var bytes: [UInt8] = []
    for line in lines.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      bytes += [UInt8]("\r\n\(parts[0])\t\(parts[1])".utf8)
    }
    bytes += [UInt8]("\r\nChecksum\t".utf8)
    try say(bytes + [0 &- bytes.reduce(0, &+)])
  }
}
