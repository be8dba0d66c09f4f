public import Bytes
public import HomeAssistant

// How things stand, for people who ask.

extension Delivery {
  /// Whether Home Assistant takes the data.
  public enum Standing: Equatable, Sendable {
    /// Nothing was tried yet, or the first attempt is under way.
    case untried
    /// The last cycle that ended was proven.
    case proven
    /// It is tried again. `isDoubted` where Home Assistant seems not to know this device any more.
    case outage(OutageCause, since: Instant, isDoubted: Bool)
  }

  /// When the next attempt of an outage is due; nil where there is none, or one is under way.
  public var nextAttemptAt: Instant? {
    guard case .waiting(let until) = state else { return nil }
    return until
  }

  public var standing: Standing {
    if let outage, let cause = outage.cause {
      return .outage(cause, since: outage.since, isDoubted: outage.isDoubted)
    }
    return lastProvenAt == nil ? .untried : .proven
  }
}

extension Delivery {
  /// Whether Home Assistant takes the data, as far as is known.
  public var isReached: Bool { unregisteredSince == nil && standing == .proven }

  /// This device in Home Assistant's registry; nil where that was never told.
  public var deviceID: Text? { acquaintance.deviceID }

  /// Which Home Assistant it is.
  public var server: ServerVersion { acquaintance.server }
}

extension Batch {
  /// Values that wait for Home Assistant.
  public var waitingReadingCount: Int { slots.count { $0.isUndelivered } }

  /// Fixes that wait for Home Assistant: there is one at most.
  public var waitingFixCount: Int { fix == nil ? 0 : 1 }
}
