import Bytes
public import LinuxIO

/// How a server is reached and who it has to be: one value for HTTP and for the WebSocket.
///
/// Certificates are always verified, and the name in them; nothing switches that off. Where a
/// server has a certificate of its own making, `authorityFile` or `publicKeyPin` says so.
public struct TransportSettings: Equatable, Sendable {
  /// PEM certificates of the authorities that are believed, instead of the system's.
  public var authorityFile: Path?
  /// What the server's public key has to be, beside the certificate that is verified all the same.
  public var publicKeyPin: PublicKeyPin?
  /// What is shown to a server that asks for a certificate.
  public var clientCertificate: ClientCertificate?
  /// A proxy's URL, holding no NUL, such as `http://proxy:3128`; nil leaves it to `http_proxy`,
  /// `https_proxy` and `all_proxy` of the environment. `no_proxy` there holds for both.
  public var proxy: [UInt8]?

  /// What differs from `system`.
  ///
  /// - Parameters:
  ///   - authorityFile: PEM certificates of the authorities that are believed, instead of the
  ///     system's.
  ///   - publicKeyPin: what the server's public key has to be besides.
  ///   - clientCertificate: what is shown to a server that asks for a certificate.
  ///   - proxy: a proxy's URL; nil leaves it to the environment.
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

  /// The system's authorities, and nothing else.
  public static let system = TransportSettings()

  /// The same way to the network, and the system's authorities at its end.
  var withoutTLS: TransportSettings { TransportSettings(proxy: proxy) }
}

/// A certificate and its private key, which needs no passphrase; both PEM.
public struct ClientCertificate: Equatable, Sendable {
  /// PEM; those of the authorities in between may follow the certificate.
  public let certificateFile: Path
  /// PEM, without a passphrase.
  public let keyFile: Path

  /// A certificate and the key that belongs to it.
  public init(certificateFile: Path, keyFile: Path) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// The SHA-256 of a server's public key in libcurl's form, `sha256//` and Base64; several, of which
/// one has to fit, are separated by `;`. (To libcurl, anything else is the name of a file.)
public struct PublicKeyPin: Equatable, Sendable {
  let bytes: [UInt8]

  /// Nil where the text is not of that form.
  public init?(_ text: [UInt8]) {
    let pins = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard pins.allSatisfy({ Self.isPin([UInt8]($0).span) }) else { return nil }
    bytes = text
  }

  private static let prefix: StaticString = "sha256//"

  /// 32 bytes make 43 digits of Base64 and its padding.
  private static func isPin(_ text: Span<UInt8>) -> Bool {
    let start = prefix.utf8CodeUnitCount
    guard text.count == start + 44, text.starts(with: prefix), text[start + 43] == UInt8(ascii: "=")
    else { return false }
    for index in start..<start + 43 where !isBase64Digit(text[index]) { return false }
    return true
  }

  private static func isBase64Digit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
