/// What Home Assistant may ask of this board with a notification: `kind.word` is its message, and
/// what belongs to it stands in its `data`.
public enum Command: Equatable, Sendable {
  /// `data`: `command`, which is `turn_on`, `turn_off` or `pulse`.
  public enum Switching: Equatable, Sendable {
    case on
    case off
    /// On for so long: `duration`, in seconds.
    case pulse(Duration)
  }

  /// The next fix is sent, also where the track does not need it.
  case requestLocationUpdate
  /// Every source is asked, and every state is told again.
  case updateSensors
  /// An output is switched: `output` is its name.
  case output([UInt8], Switching)
  /// The length of a cycle, `every`, until the next start of the agent or for the time of `for`;
  /// both in seconds. Nil, where `every` is missing: as in the configuration.
  case interval(Duration?, lasting: Duration?)
  /// The anchor watch is set (`turn_on`) or cleared (`turn_off`).
  case anchor(isSet: Bool)
  case reboot
  /// The notification with this `tag` is not shown any more.
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
