import Bytes
import Glibc

extension HomewardRelay {
  private static let passwordByteCountMax = 1024

  /// Opens the store that `--store` names: a file, or a server.
  static func openStore(_ arguments: Arguments, limits: Limits) throws(CommandError) -> any Store {
    let name = arguments["--store"] ?? "/var/lib/homeward-relay/relay.sqlite"
    let passwordFile = arguments["--store-password-file"]
    if RedisAddress.isOne(Array(name.utf8)) {
      let address = try address(name, passwordFile: passwordFile)
      do throws(StoreFailure) {
        return try RedisStore(
          address, limits: limits,
          clock: RedisClock(wall: Clocks.kernel.wall, monotonic: Clocks.kernel.monotonic))
      } catch { throw CommandError(code: 74, message: "the store: \(error)") }
    }
    guard passwordFile == nil else {
      throw .usage("--store-password-file belongs to a --store of redis://")
    }
    // Other users cannot read it: notifications are sealed, the names of boards are not.
    umask(0o077)
    do throws(StoreFailure) {
      return try SQLiteStore(name, limits: limits)
    } catch { throw CommandError(code: 74, message: "the store: \(error)") }
  }

  private static func address(
    _ name: String, passwordFile: String?
  ) throws(CommandError) -> RedisAddress {
    // It may have a password: no message repeats it.
    guard var address = RedisAddress(Array(name.utf8)) else {
      throw .usage("--store must be redis://HOST:PORT/DATABASE or redis+unix:///PATH")
    }
    if let passwordFile { try address.credentials = .init(secret(in: passwordFile)) }
    return address
  }

  /// Reads a secret from a file, without the end of its line.
  private static func secret(in path: String) throws(CommandError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandError(
        code: 66, message: "cannot read \(path): \(unsafe String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: passwordByteCountMax + 1)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    var secret = bytes.prefix(max(0, count))
    while let last = secret.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
      secret.removeLast()
    }
    guard (1...passwordByteCountMax).contains(secret.count) else {
      throw CommandError(
        code: 65, message: "\(path) must have a password of 1 to \(passwordByteCountMax) bytes")
    }
    return Array(secret)
  }
}
