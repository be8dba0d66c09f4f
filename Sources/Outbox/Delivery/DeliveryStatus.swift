public import Bytes
public import HomeAssistant

/// Whether Home Assistant takes the data, for people who ask.
public enum DeliveryStatus: Equatable, Sendable {
  /// Nothing was tried yet, or the first attempt is under way.
  case untried
  /// The last cycle that ended was proven.
  case proven
  /// It is tried again. `isDoubted` where Home Assistant seems not to know this device any more.
  case outage(OutageCause, since: Instant, isDoubted: Bool)
}

extension Delivery {
  public var status: DeliveryStatus {
    outage.status ?? (lastProvenAt == nil ? .untried : .proven)
  }

  public var isInOutage: Bool { outage.isUnderWay }

  /// Whether Home Assistant takes the data, as far as is known.
  public var isReached: Bool { outage.since == nil && lastProvenAt != nil }

  /// When the next attempt of an outage is due; nil where there is none, or one is under way.
  public var nextAttemptAt: Instant? { outage.deadline }

  /// Since when there is no registration to deliver with; kept until the first proof with one.
  public var unregisteredSince: Instant? { outage.unregisteredSince }

  /// This device in Home Assistant's registry; nil where that was never told.
  public var deviceID: Text? { cycle.server.deviceID }

  /// Which Home Assistant it is.
  public var server: ServerVersion { cycle.server.version }
}

extension Batch {
  /// Values that wait for Home Assistant.
  public var waitingReadingCount: Int { slots.count { $0.isUndelivered } }

  /// Fixes that wait for Home Assistant: there is one at most.
  public var waitingFixCount: Int { fix == nil ? 0 : 1 }
}
