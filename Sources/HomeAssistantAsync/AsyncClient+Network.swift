import Bytes
public import FoundationEssentials
public import HomeAssistant
import LinuxIO
public import Transport

/// Reason that an `AsyncClient` could not be created.
public enum StartError: Error, Equatable, Sendable {
  /// The address is not `http://` or `https://` and a host, or holds an invalid character.
  case invalidAddress
  /// The token is empty, longer than 8 KiB, or holds an invalid character, such as a space.
  case invalidToken
  /// libcurl cannot start, because memory is exhausted.
  case noTransport
  /// The kernel refused a thread or a descriptor, with this error number.
  case kernel(Int32)
}

extension AsyncClient {
  /// Creates a client on its own thread. It connects with its first request.
  ///
  /// - Parameters:
  ///   - address: address of Home Assistant, such as `http://homeassistant.local:8123`, with a path
  ///     if a proxy requires one.
  ///   - credential: long-lived token, or a refresh token from a login.
  ///   - settings: connection to the server, and check of its identity.
  ///   - policy: timeouts and limits.
  ///   - userAgent: name of this program in the server's log, in at most 256 bytes.
  /// - Throws: `StartError` if the address is invalid or the machine lacks a resource.
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

  /// Creates a client with a long-lived access token, which a person creates in Home Assistant: the
  /// profile, Security.
  ///
  /// - Throws: `StartError` if the address or the token is invalid or the machine lacks a resource.
  public init(address: String, accessToken: String) throws(StartError) {
    guard let credential = Credential(accessToken: [UInt8](accessToken.utf8)) else {
      throw .invalidToken
    }
    try self.init(address: address, credential: credential)
  }

  /// Creates a client with a long-lived access token of the Home Assistant at `url`.
  ///
  /// - Throws: `StartError` if the address or the token is invalid or the machine lacks a resource.
  public init(url: URL, accessToken: String) throws(StartError) {
    try self.init(address: url.absoluteString, accessToken: accessToken)
  }

  /// Returns the address for appending paths; nil if it is invalid.
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
