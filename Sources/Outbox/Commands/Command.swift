/// Command that Home Assistant may send to this board with a notification: its message is
/// `kind.word`, and its `data` contains the parameters.
public enum Command: Equatable, Sendable {
  /// `data`: `command`, which is `turn_on`, `turn_off` or `pulse`.
  public enum Switching: Equatable, Sendable {
    case on
    case off
    /// On for so long: `duration`, in seconds.
    case pulse(Duration)
  }

  /// Send the next fix, even if the track does not need it.
  case requestLocationUpdate
  /// Read every source, and send every state again.
  case updateSensors
  /// An output is switched: `output` is its name.
  case output([UInt8], Switching)
  /// Set the interval of cycles to `every`, until the next start of the agent or for the time
  /// `for`; both in seconds. Nil if `every` is missing: the interval in the configuration.
  case interval(Duration?, lasting: Duration?)
  /// The anchor watch is set (`turn_on`) or cleared (`turn_off`).
  case anchor(isSet: Bool)
  case reboot
  /// Remove the notification with this `tag`.
  case clearNotification(tag: [UInt8])
}

/// Kind of a command, for the list of those that are allowed.
public enum CommandKind: UInt8, CaseIterable, Sendable {
  case requestLocationUpdate, updateSensors, output, interval, anchor, reboot, clearNotification

  /// The message of the notification, and the word in the configuration. The companion app has the
  /// same for what it can do, too.
  public var word: StaticString {
    switch self {
    case .requestLocationUpdate: "request_location_update"
    case .updateSensors: "command_update_sensors"
    case .output: "command_gpio"
    case .interval: "command_interval"
    case .anchor: "command_anchor"
    case .reboot: "command_reboot"
    case .clearNotification: "clear_notification"
    }
  }
}

/// Kinds that the configuration allows.
public struct CommandKinds: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public init(_ kind: CommandKind) { rawValue = 1 << kind.rawValue }

  /// Whether commands of this kind are allowed. `contains` would allow a kind without a bit.
  public func allows(_ kind: CommandKind) -> Bool { !isDisjoint(with: CommandKinds(kind)) }
}
