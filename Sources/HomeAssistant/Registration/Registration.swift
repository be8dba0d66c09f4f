public import Bytes

/// Registration of a device with Home Assistant: the address and the key of its messages.
public struct Registration: Sendable {
  /// Protection of messages against eavesdroppers.
  public enum Protection: Sendable {
    /// Encryption with this key, which only the device and Home Assistant have.
    case sealed(SecretKey)
    /// No encryption: Home Assistant issued no key. Any machine on the path can read and change the
    /// messages, and no answer proves anything.
    case plain
  }

  /// Last part of the webhook's URL; a secret that gives access to the webhook.
  public let webhookID: [UInt8]
  /// Protection of messages against eavesdroppers.
  public var protection: Protection
  /// Cloud address of the webhook, as secret as its identifier.
  public private(set) var cloudhookURL: Text?
  /// Cloud address of the whole home.
  public private(set) var remoteUIURL: Text?
  /// Value of `RegistrationRequest.fingerprint` that was sent last, which shows changes since then;
  /// nil if unknown.
  public var toldFingerprint: Text?
  /// Identifier that the device registered with; nil in a file of an earlier version, which lacks
  /// it.
  public var deviceID: Text?
  /// Serial number of the board at the registration; nil if there is none, or it is unknown.
  public var board: Text?

  static let webhookIDCountMax = 256
  static let urlByteCountMax = 512

  /// Fails if `webhookID` is not a plain path component.
  init?(webhookID: [UInt8], protection: Protection) {
    guard (1...Self.webhookIDCountMax).contains(webhookID.count),
      webhookID.allSatisfy({ $0.isPathSafe })
    else { return nil }
    self.webhookID = webhookID
    self.protection = protection
  }

  /// Whether there is no key, and messages are not encrypted.
  public var isPlain: Bool { if case .plain = protection { true } else { false } }

  /// Stores the addresses from Home Assistant's answer to the registration, or to `get_config`. An
  /// invalid URL counts as none.
  ///
  /// - Returns: whether an address changed, and the registration must be saved again.
  public mutating func setAddresses(cloudhook: Text?, remoteUI: Text?) -> Bool {
    let cloudhook = cloudhook.flatMap(Self.address)
    let remoteUI = remoteUI.flatMap(Self.address)
    guard cloudhook != cloudhookURL || remoteUI != remoteUIURL else { return false }
    cloudhookURL = cloudhook
    remoteUIURL = remoteUI
    return true
  }

  /// Returns the text if it is a valid address; nil if it is not a URL or too long.
  static func address(_ text: Text) -> Text? {
    text.bytes.count <= urlByteCountMax && text.isHTTPURL ? text : nil
  }

  /// Path of the webhook, below the address of Home Assistant.
  public var path: [UInt8] { [UInt8]("/api/webhook/") + webhookID }

  /// Stores the properties that the device registered with.
  public mutating func answers(_ request: RegistrationRequest) {
    toldFingerprint = request.fingerprint
    deviceID = Text(request.deviceID)
    board = request.board.isEmpty ? nil : Text(request.board)
  }
}
