import Foundation
import Testing

/// The socket of a service manager (`sd_notify(3)`).
@safe final class NotifySocket {
  private static let patience: Duration = .seconds(30)

  /// The value of `NOTIFY_SOCKET`.
  let name: String
  private let descriptor: Int32
  private var taken: [String] = []

  /// A path, or a name of the abstract namespace behind an `@`.
  init(_ name: String) throws {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = [name.first == "@" ? 0 : UInt8(name.utf8.first ?? 0)] + name.utf8.dropFirst()
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let size = MemoryLayout<sa_family_t>.size + bytes.count
    let result = unsafe withUnsafeBytes(of: &address) { place -> Int32 in
      guard let start = place.baseAddress else { return -1 }
      return unsafe bind(
        descriptor,
        __CONST_SOCKADDR_ARG(__sockaddr__: start.assumingMemoryBound(to: sockaddr.self)),
        socklen_t(size))
    }
    try #require(result == 0, "no socket at \(name): errno \(errno)")
  }

  deinit {
    close(descriptor)
    if name.first != "@" { try? FileManager.default.removeItem(atPath: name) }
  }

  /// The next datagram, line by line; nil where there is none.
  private func receive() -> [String]? {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    guard count >= 0 else { return nil }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  /// Waits for a datagram with a line that begins so. Those before it are gone.
  @discardableResult
  func notice(_ beginning: String) async throws -> [String] {
    let end = ContinuousClock.now + Self.patience
    while ContinuousClock.now < end {
      while let lines = receive() {
        if lines.contains(where: { $0.hasPrefix(beginning) }) { return lines }
        taken += lines
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("\(beginning) never came, but \(taken)")
    return []
  }
}

/// A port that a home can leave and come back to: it stays bound, so that no connection of another
/// test gets it meanwhile.
func reservedPort() -> UInt16 { boundSocket(isShared: true).port }

/// A socket with a port of its own, which a server of this process may have as well where it
/// `isShared`. No agent inherits it: one that did would keep the port open.
func boundSocket(isShared: Bool) -> (socket: Int32, port: UInt16) {
  let bound = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var reuse: Int32 = isShared ? 1 : 0
  unsafe setsockopt(
    bound, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = unsafe withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
    guard let start = bytes.baseAddress else { return -1 }
    let general = unsafe start.assumingMemoryBound(to: sockaddr.self)
    guard unsafe bind(bound, __CONST_SOCKADDR_ARG(__sockaddr__: general), size) == 0 else {
      return -1
    }
    return unsafe getsockname(bound, __SOCKADDR_ARG(__sockaddr__: general), &size)
  }
  #expect(result == 0, "no socket: errno \(errno)")
  return (bound, address.sin_port.bigEndian)
}
