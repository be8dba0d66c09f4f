/// Something that befalls the home once. Clients must get over it.
public enum Accident: String, Sendable, CaseIterable {
  /// Every push channel is forgotten, and no client is told.
  case dropChannels = "drop-channels"
  /// Every WebSocket is closed.
  case closeSockets = "close-sockets"
  /// Every registration gets another key, which its device does not know.
  case changeKeys = "change-keys"
  /// A person deletes every registration.
  case deleteRegistrations = "delete-registrations"
  /// Home Assistant restarts, and takes some seconds to be whole again.
  case restart = "restart"
}

/// How a home comes up after a restart, in two stages.
public struct Startup: Sendable, Equatable {
  /// How long not even the paths of webhooks and registrations are there: 404.
  public var deaf: Duration
  /// How long, after that, webhooks are not known: 200 and nothing.
  public var silent: Duration

  public init(deaf: Duration = .zero, silent: Duration = .zero) {
    (self.deaf, self.silent) = (deaf, silent)
  }

  /// A home that is whole at once.
  public static let immediate = Startup()
}

extension Home {
  /// Lets something happen.
  public mutating func suffer(_ accident: Accident, now: Moment) {
    note(.accident(accident), at: now)
    switch accident {
    case .dropChannels: dropChannels(now: now)
    case .closeSockets: closeAllSessions(now: now)
    case .changeKeys:
      for index in registrations.indices where registrations[index].secret != nil {
        registrations[index].secret = random(SealingKey.byteCount).hexadecimal
      }
    case .deleteRegistrations: forgetAll()
    case .restart: restart(now: now, household.startup)
    }
    settle(now)
  }

  /// What a restart of Home Assistant does: deleted registrations become 410, sensors come back
  /// with their values, binary sensors as on or off, and trackers without the name of a place.
  /// WebSockets are closed, and who was about to log in begins anew.
  public mutating func restart(now: Moment, _ startup: Startup = .immediate) {
    closeAllSessions(now: now)
    logins = []
    grants.forgetCodes()
    channels = [:]
    (deafUntil, silentUntil) = (now + startup.deaf, now + startup.deaf + startup.silent)
    gone.formUnion(superseded)
    superseded = []
    for registration in registrations { registration.sensors.forEach { takeDown($0) } }
    states = States()
    furnish(now)
    for index in registrations.indices where registrations[index].isAlive {
      for place in registrations[index].sensors.indices
      where !registrations[index].sensors[place].isDisabled {
        startSensor(place, of: index, now: now)
      }
      registrations[index].tracker?.restore()
      writeTracker(of: index, now: now)
    }
    settle(now)
  }

  /// Whether the integration is not loaded yet.
  func isDeaf(_ now: Moment) -> Bool { deafUntil.map { now < $0 } ?? false }

  /// Whether no webhook is known yet.
  func isSilent(_ now: Moment) -> Bool { silentUntil.map { now < $0 } ?? false }

  /// A command, unless it belongs to something that is not loaded yet.
  func command(_ type: String, now: Moment) -> Command? {
    let isPart = type.hasPrefix("mobile_app/") || type.hasPrefix("webhook/")
    return isPart && isDeaf(now) ? nil : Command.all[type]
  }
}
