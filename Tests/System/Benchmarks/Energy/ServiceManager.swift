import Foundation

/// Takes what a service tells systemd, and forgets it: the agent gives its signs of life as it does
/// on a board.
@safe final class ServiceManager: Sendable {
  private let descriptor: Int32
  private let path: String
  /// As the package's service has it.
  private static let watchdogMicroseconds = 1_800_000_000

  var environment: [String] {
    ["NOTIFY_SOCKET=\(path)", "WATCHDOG_USEC=\(Self.watchdogMicroseconds)"]
  }

  init(in directory: URL) throws {
    path = directory.appending(path: "notify").path
    try? FileManager.default.removeItem(atPath: path)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = [UInt8](path.utf8)
    let isBound = unsafe withUnsafeMutableBytes(of: &address) { place -> Bool in
      let start = MemoryLayout<sa_family_t>.size
      guard start + bytes.count < place.count, let address = place.baseAddress else { return false }
      unsafe place[start...].copyBytes(from: bytes)
      let size = socklen_t(place.count)
      return unsafe bind(
        descriptor,
        address.assumingMemoryBound(to: sockaddr.self), size)
        == 0
    }
    guard isBound else { throw Failure(.software, "no socket at \(path): errno \(errno)") }
    Thread.detachNewThread { [descriptor] in
      var place: [UInt8] = Array(repeating: 0, count: 4096)
      while unsafe recv(descriptor, &place, place.count, 0) > 0 {}
      close(descriptor)
    }
  }

  /// Ends the thread.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
