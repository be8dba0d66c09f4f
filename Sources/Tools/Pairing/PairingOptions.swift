import Board
import Bytes

/// What `homeward pair` was told.
struct PairingOptions {
  /// Where the credential comes from.
  enum Source {
    /// User name and password, asked for.
    case login
    /// A long-lived access token, asked for.
    case token
    /// The same from a file; `-` is standard input.
    case tokenFile([UInt8])

    var isLogin: Bool { if case .login = self { true } else { false } }
  }

  /// The address of Home Assistant, as it was typed.
  var url: [UInt8]?
  var configuration = [UInt8](Configuration.defaultFile)
  /// Where there is no configuration: the state directory, which goes into the one that is written.
  var stateDirectory: [UInt8]?
  /// What Home Assistant calls the board, as it was typed.
  var name: [UInt8]?
  var source = Source.login
  var isConfigurationNamed: Bool {
    !configuration.span.elementsEqual(Configuration.defaultFile)
  }
  var isYes = false
  var isJSON = false
}
