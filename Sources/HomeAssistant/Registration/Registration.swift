public import Bytes

/// What Home Assistant gave to a device when it registered: where to send, and with which key.
public struct Registration: Sendable {
  /// How messages are kept from those who read on the way.
  public enum Protection: Sendable {
    /// With this key, which only the device and Home Assistant have.
    case sealed(SecretKey)
    /// Not at all: Home Assistant gave no key. Each machine on the way can read and change the
    /// messages, and no answer proves anything.
    case plain
  }

  /// The last part of the webhook's URL. Who knows it can talk to the webhook: it is a secret.
  public let webhookID: [UInt8]
  /// How messages are kept from those who read on the way.
  public var protection: Protection
  /// The webhook's address in the cloud, which is as secret as its id.
  public private(set) var cloudhookURL: Text?
  /// The address in the cloud of the whole home.
  public private(set) var remoteUIURL: Text?
  /// `Webhook.UpdateRegistration.fingerprint` of what Home Assistant was told last, so that it is
  /// told again only where something has changed; nil where that is not known.
  public var toldFingerprint: Text?
  /// What the device registered as; nil where an earlier version kept it, which did not keep that.
  public var deviceID: Text?
  /// The serial number of the board that it registered on; nil where that has none, or it is not
  /// known.
  public var board: Text?

  static let webhookIDCountMax = 256
  static let urlByteCountMax = 512

  /// Nil where `webhookID` is not a plain path component.
  init?(webhookID: [UInt8], protection: Protection) {
    guard (1...Self.webhookIDCountMax).contains(webhookID.count),
      webhookID.allSatisfy({ $0.isPathSafe })
    else { return nil }
    self.webhookID = webhookID
    self.protection = protection
  }

  /// Whether there is no key, and nothing is sealed.
  public var isPlain: Bool { if case .plain = protection { true } else { false } }

  /// Takes the addresses that Home Assistant told in its answer to the registration, or to
  /// `get_config`. What is no URL is taken for none.
  ///
  /// - Returns: whether they are others than before, and the registration is to be kept again.
  public mutating func setAddresses(cloudhook: Text?, remoteUI: Text?) -> Bool {
    let cloudhook = cloudhook.flatMap(Self.address)
    let remoteUI = remoteUI.flatMap(Self.address)
    guard cloudhook != cloudhookURL || remoteUI != remoteUIURL else { return false }
    cloudhookURL = cloudhook
    remoteUIURL = remoteUI
    return true
  }

  /// An address as it may be kept and sent to; nil for what is no URL.
  static func address(_ text: Text) -> Text? {
    text.bytes.count <= urlByteCountMax && text.isHTTPURL ? text : nil
  }

  /// The webhook's path below the address of Home Assistant.
  public var path: [UInt8] { [UInt8]("/api/webhook/") + webhookID }
}
