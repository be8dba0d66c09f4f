import Bytes
public import FoundationEssentials
public import HomeAssistant
import LinuxIO
public import Transport

/// Why an `AsyncClient` could not be made.
public enum StartError: Error, Equatable, Sendable {
  /// The address is not `http://` or `https://` and a host, or holds what no address has.
  case invalidAddress
  /// The token is empty, longer than 8 KiB, or holds what no token has, such as a space.
  case invalidToken
  /// libcurl cannot start; it is out of memory.
  case noTransport
  /// The kernel gave no thread or no descriptor; its error number.
  case kernel(Int32)
}

extension AsyncClient {
  /// A client on a thread of its own. It connects with its first request.
  ///
  /// - Parameters:
  ///   - address: of Home Assistant, such as `http://homeassistant.local:8123`. A path may follow,
  ///     where a proxy has Home Assistant below one.
  ///   - credential: a long-lived token, or a refresh token from a login.
  ///   - settings: how the server is reached, and who it has to be.
  ///   - policy: how patient it is.
  ///   - userAgent: what the server's log calls this program, in at most 256 bytes.
  /// - Throws: `StartError`, where the address is none or the machine lacks something.
  public init(
    address: String, credential: Credential, settings: TransportSettings = .system,
    policy: SessionPolicy = SessionPolicy(), userAgent: String = "HomewardClient"
  ) throws(StartError) {
    guard let base = Self.base(of: Text(address)) else { throw .invalidAddress }
    let (driver, client, loop) = try Self.makeClient(
      base, credential, settings, policy, Text(userAgent))
    do throws(Errno) {
      let thread = try LoopThread()
      try thread.start(loop, driver, client)
      self.init(on: thread, client)
    } catch {
      throw .kernel(error.code)
    }
  }

  /// A client with a long-lived access token, which a person makes in Home Assistant: the profile,
  /// Security.
  ///
  /// - Throws: `StartError`, where the address or the token is none or the machine lacks something.
  public init(address: String, accessToken: String) throws(StartError) {
    guard let credential = Credential(accessToken: [UInt8](accessToken.utf8)) else {
      throw .invalidToken
    }
    try self.init(address: address, credential: credential)
  }

  /// A client with a long-lived access token of the Home Assistant at `url`.
  ///
  /// - Throws: `StartError`, where the address or the token is none or the machine lacks something.
  public init(url: URL, accessToken: String) throws(StartError) {
    try self.init(address: url.absoluteString, accessToken: accessToken)
  }

  /// The address as paths are appended to it; nil where it is none.
  private static func base(of address: Text) -> [UInt8]? {
    let hasScheme = address.hasPrefix("http://") || address.hasPrefix("https://")
    guard hasScheme, address.bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    let base = serverAddress(address.bytes)
    return base.last == UInt8(ascii: ":") ? nil : base
  }

  private static func makeClient(
    _ base: [UInt8], _ credential: Credential, _ settings: TransportSettings,
    _ policy: SessionPolicy, _ userAgent: Text
  ) throws(StartError) -> sending (NetworkDriver, Client, EventLoop) {
    let loop: EventLoop
    do throws(Errno) { loop = try EventLoop() } catch { throw .kernel(error.code) }
    let tokens = AccessTokens(
      credential: credential, rejected: RejectedTokens(), seed: .random(in: .min ... .max))
    guard
      let driver = NetworkDriver(
        address: base, tokens: tokens, settings: settings, loop: loop,
        userAgent: userAgent.bytes)
    else { throw .noTransport }
    return (driver, driver.makeClient(policy: policy, seed: .random(in: .min ... .max)), loop)
  }
}
