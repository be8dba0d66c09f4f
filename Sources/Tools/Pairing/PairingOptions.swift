import Board
import Bytes
import YAML

struct PairingOptions {
  /// Source of the credential.
  enum Source {
    /// User name and password, asked for.
    case login
    /// A long-lived access token, asked for.
    case token
    /// A long-lived access token from a file; `-` is standard input.
    case tokenFile([UInt8])

    var isLogin: Bool { if case .login = self { true } else { false } }
  }

  private let options: Options
  let source: Source
  /// State directory if there is no configuration; it goes into the new one.
  let stateDirectory: [UInt8]?
  /// PEM certificates of the authorities of an `https://` address.
  let authorityFile: [UInt8]?

  var url: [UInt8]? { options.words.first }
  var configuration: [UInt8] { options.file }
  var name: [UInt8]? { options["--name"] }
  /// Address of a push relay with which a paired board is paired as well.
  var relay: [UInt8]? { options["--relay"] }
  /// Whether an existing pairing stays, and belongs to this board from now on.
  var keepsDevice: Bool { options.has("--same-device") }
  /// Whether the board stays the same device, and gets a new login.
  var isLoginOnly: Bool { options.has("--login") }
  var isYes: Bool { options.has("--yes") }
  var isJSON: Bool { options.isJSON }
  var isConfigurationNamed: Bool {
    !configuration.span.elementsEqual(Configuration.defaultFile)
  }

  init(_ options: Options) throws(UsageError) {
    self.options = options
    guard options.count(of: ["--token", "--token-file"]) < 2 else {
      throw .mistake("the token is given twice")
    }
    source =
      options.has("--token") ? .token : options["--token-file"].map { .tokenFile($0) } ?? .login
    stateDirectory = try Self.path("--state-directory", in: options)
    authorityFile = try Self.path("--ca-file", in: options)
    if relay != nil, isLoginOnly || keepsDevice || url != nil || name != nil {
      throw .mistake("--relay pairs with a relay only; give the other options to another pair")
    }
    if isJSON, relay != nil || keepsDevice {
      throw .mistake("--json reports a new pairing or login; leave it out here")
    }
    if isLoginOnly, name != nil { throw .mistake("--login does not change the name") }
  }

  /// Returns an absolute path that can stand in quotation marks in a configuration.
  private static func path(
    _ name: StaticString, in options: Options
  ) throws(UsageError) -> [UInt8]? {
    guard let text = options[name] else { return nil }
    let isFit = text.allSatisfy {
      (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard isFit, text.span.starts(with: "/"), text.count <= ConfigurationField.pathBytesMax else {
      throw .mistake("\(name) needs an absolute path, such as /etc/homeward/file")
    }
    return text
  }
}
