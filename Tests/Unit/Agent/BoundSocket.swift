import Foundation
import Testing

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
