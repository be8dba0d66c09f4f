import Bytes
import CLinux

/// Place that `--store` names: a file, or a server of Redis or Valkey.
enum StoreOption {
  case file(Text)
  case server(RedisAddress)

  private static let passwordByteCountMax = 1024

  init(_ arguments: Arguments) throws(CommandError) {
    let name = arguments["--store"] ?? "/var/lib/homeward-relay/relay.sqlite"
    let passwordFile = arguments["--store-password-file"]
    if RedisAddress.isOne(name.bytes) {
      self = .server(try Self.address(name, passwordFile: passwordFile))
    } else if passwordFile == nil {
      self = .file(name)
    } else {
      throw .usage("--store-password-file belongs to a --store of redis://")
    }
  }

  private static func address(
    _ name: Text, passwordFile: Text?
  ) throws(CommandError) -> RedisAddress {
    // It may have a password: no message repeats it.
    guard var address = RedisAddress(name.bytes) else {
      throw .usage("--store must be redis://HOST:PORT/DATABASE or redis+unix:///PATH")
    }
    if let passwordFile { address.credentials = .init(try secret(in: passwordFile)) }
    return address
  }

  /// Reads a secret from a file, without the end of its line.
  private static func secret(in path: Text) throws(CommandError) -> [UInt8] {
    let descriptor = unsafe clinux_open(path.string, O_RDONLY, 0, false)
    guard descriptor >= 0 else {
      throw CommandError(code: 66, message: "cannot read \(path): \(systemError())")
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

  /// The place for people, without a password.
  var text: Text {
    switch self {
    case .file(let path): path
    case .server(let address): Text(address.url)
    }
  }

  /// Opens the store; makes it if it is a file that is not there.
  func open(limits: Limits) throws(CommandError) -> any Store {
    try HomewardRelay.performing { () throws(StoreFailure) in
      switch self {
      case .file(let path):
        // Other users cannot read it: notifications are sealed, the names of boards are not.
        umask(0o077)
        return try SQLiteStore(path.string, limits: limits)
      case .server(let address):
        return try RedisStore(address, limits: limits, clocks: .kernel)
      }
    }
  }
}
