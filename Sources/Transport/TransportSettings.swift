import Bytes
public import LinuxIO

/// Settings of proxy and TLS, used for both HTTP and the WebSocket.
///
/// Certificates and the names in them are always verified; nothing disables that. For a server with
/// a self-made certificate, set `authorityFile` or `publicKeyPin`.
public struct TransportSettings: Equatable, Sendable {
  /// PEM certificates of the trusted authorities, instead of the system's.
  public var authorityFile: Path?
  /// Required public key of the server, in addition to the verified certificate.
  public var publicKeyPin: PublicKeyPin?
  /// Certificate for a server that requests one.
  public var clientCertificate: ClientCertificate?
  /// URL of a proxy, without a NUL, such as `http://proxy:3128`; nil uses `http_proxy`,
  /// `https_proxy` and `all_proxy` of the environment. `no_proxy` there applies to both.
  public var proxy: [UInt8]?

  /// Creates settings; each default is that of `system`.
  ///
  /// - Parameters:
  ///   - authorityFile: PEM certificates of the trusted authorities, instead of the system's.
  ///   - publicKeyPin: required public key of the server.
  ///   - clientCertificate: certificate for a server that requests one.
  ///   - proxy: URL of a proxy; nil uses the environment.
  public init(
    authorityFile: Path? = nil, publicKeyPin: PublicKeyPin? = nil,
    clientCertificate: ClientCertificate? = nil, proxy: [UInt8]? = nil
  ) {
    precondition(proxy?.contains(0) != true, "a NUL would end the URL early")
    self.authorityFile = authorityFile
    self.publicKeyPin = publicKeyPin
    self.clientCertificate = clientCertificate
    self.proxy = proxy
  }

  /// Default settings: the system's authorities and the proxy of the environment.
  public static let system = TransportSettings()

  /// Settings with the same proxy and the system's authorities.
  var withoutTLS: TransportSettings { TransportSettings(proxy: proxy) }
}

/// Client certificate and its private key without a passphrase, both PEM.
public struct ClientCertificate: Equatable, Sendable {
  /// PEM file; certificates of intermediate authorities may follow the certificate.
  public let certificateFile: Path
  /// PEM file, without a passphrase.
  public let keyFile: Path

  /// Creates a pair of a certificate and its key.
  public init(certificateFile: Path, keyFile: Path) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// SHA-256 of a server's public key in libcurl's form, `sha256//` and Base64; `;` separates
/// several, of which one has to match. (libcurl takes anything else for the name of a file.)
public struct PublicKeyPin: Equatable, Sendable {
  let bytes: [UInt8]

  /// Checks the form of the text; nil if it is wrong.
  public init?(_ text: [UInt8]) {
    let pins = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard pins.allSatisfy({ Self.isPin([UInt8]($0).span) }) else { return nil }
    bytes = text
  }

  private static let prefix: StaticString = "sha256//"

  /// Whether the text is a pin: 32 bytes are 43 digits of Base64 and its padding.
  private static func isPin(_ text: Span<UInt8>) -> Bool {
    let start = prefix.utf8CodeUnitCount
    guard text.count == start + 44, text.starts(with: prefix), text[start + 43] == UInt8(ascii: "=")
    else { return false }
    for index in start..<start + 43 where !text[index].isLetterOrDigit {
      let isSign = text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "/")
      guard isSign else { return false }
    }
    return true
  }
}
