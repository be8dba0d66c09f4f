/// How one practice home is furnished: who lives there, and its limits.
public struct Household: Sendable, Equatable {
  /// A long-lived access token that never ends.
  public var token = Home.defaultToken
  public var resident = Resident()
  /// Whether people may log in with a password, and not only, say, from trusted networks.
  public var hasPasswords = true
  /// Failed logins until the home answers everybody 403, or nil for never, as in Home Assistant.
  public var failuresUntilBan: Int?
  /// How long an access token is good for.
  public var accessTokenLifetime = Duration.seconds(1800)
  /// How long a WebSocket may take to send its token.
  public var authenticationLimit = Duration.seconds(10)
  /// How long a notification may stay unconfirmed before its channel is dropped.
  public var confirmationLimit = Duration.seconds(10)
  /// After how much silence a WebSocket is sent a ping; half of it later it is given up.
  public var pingInterval = Duration.seconds(55)
  /// How the home comes up after a restart that happens to it.
  public var startup = Startup(deaf: .seconds(2), silent: .seconds(5))

  /// The addresses in the cloud that devices are told.
  public var cloud = Cloud()
  /// Whether a device that asks for a key gets it with its registration; else only when it asks for
  /// it by itself.
  public var givesKeysAtOnce = true

  public init() {}
}

/// Where a home can be reached in the cloud.
public struct Cloud: Sendable, Equatable {
  /// The address of a device's webhook itself.
  public var cloudhook: String?
  /// The address of the whole home.
  public var remoteUI: String?

  public init(cloudhook: String? = nil, remoteUI: String? = nil) {
    (self.cloudhook, self.remoteUI) = (cloudhook, remoteUI)
  }
}

/// The one person of the practice home.
public struct Resident: Sendable, Equatable {
  public var userName = "practice"
  public var password = "practice"
  /// What an authenticator app would show, for ever the same; nil if a password is enough.
  public var code: String?
  /// Whether commands that are for administrators are for the resident, who else gets
  /// `unauthorized`.
  public var isAdministrator = true
  var id = "9c1f5ad0e2b84b6f8f0e7d2a6b3c4d5e"
  var displayName = "Practice"

  public init() {}

  /// User names are compared without their surrounding space and their case.
  func isNamed(_ text: String) -> Bool { text.trimmed.lowercased() == userName.lowercased() }
}
