import Bytes
import CLinux
import Foundation
import LinuxIO
import TestRun

/// A directory of its own for one test, which goes with its owner.
final class TestDirectory {
  let name: String

  init() throws {
    var template = Array("\(TestRun.folder.path)/XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(code: clinux_errno()) }
    name = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: name) }

  var path: Path { Path([UInt8](name.utf8)) }
  func path(_ file: String) -> Path { Path([UInt8]("\(name)/\(file)".utf8)) }

  func write(_ bytes: [UInt8], to file: String) throws {
    try Descriptor(opening: path(file), mode: .writePrivate).writeAll(bytes.span)
  }

  func names(in place: Path? = nil) throws -> [String] {
    var names: [String] = []
    let reader = try DirectoryReader(opening: place ?? path)
    reader.forEachName { names.append(String(decoding: [UInt8]($0), as: UTF8.self)) }
    return names.sorted()
  }

  /// The type and the permissions of a file.
  func mode(of file: String) throws -> mode_t {
    var status = stat()
    try check(unsafe stat("\(name)/\(file)", &status))
    return status.st_mode
  }
}

func check(_ result: Int32) throws {
  if result != 0 { throw Errno(code: clinux_errno()) }
}

/// A pipe of which no end blocks: what is written to one end is read from the other.
func makePipe() throws -> (read: Int32, write: Int32) {
  var ends: (Int32, Int32) = (-1, -1)
  try unsafe withUnsafeMutableBytes(of: &ends) {
    guard let ends = $0.baseAddress else { return }
    try check(unsafe pipe2(ends.assumingMemoryBound(to: Int32.self), O_NONBLOCK | O_CLOEXEC))
  }
  return (ends.0, ends.1)
}

/// Two connected sockets that do not block.
func makeSocketPair() throws -> (Int32, Int32) {
  var ends: (Int32, Int32) = (-1, -1)
  let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  try unsafe withUnsafeMutableBytes(of: &ends) {
    guard let ends = $0.baseAddress else { return }
    try check(unsafe socketpair(AF_UNIX, type, 0, ends.assumingMemoryBound(to: Int32.self)))
  }
  return ends
}

/// A socket that receives datagrams at a path, without waiting for one.
func makeDatagramSocket(at path: String) throws -> Descriptor {
  let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  let socket = Descriptor(owning: socket(AF_UNIX, type, 0))
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
  let number = socket.number
  try unsafe withUnsafePointer(to: &address) {
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    try check(unsafe bind(number, __CONST_SOCKADDR_ARG(__sockaddr_un__: $0), size))
  }
  return socket
}

/// Turns a loop until a descriptor is ready.
func wait(for readiness: Readiness, of descriptor: Int32) throws {
  final class Recorder: Watcher {
    var isReady = false
    func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) { isReady = true }
  }
  let (loop, recorder) = (try EventLoop(), Recorder())
  let watch = try loop.watch(descriptor, for: readiness, telling: recorder)
  while !recorder.isReady { try loop.turn(until: nil) }
  loop.stop(watch)
}
