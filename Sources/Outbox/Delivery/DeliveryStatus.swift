public import Bytes
public import HomeAssistant

/// State of the delivery, for status displays.
public enum DeliveryStatus: Equatable, Sendable {
  /// No attempt has ended yet.
  case untried
  /// The last completed cycle was proven.
  case proven
  /// Attempts fail and continue. `isDoubted` if Home Assistant seems not to know this device.
  case outage(OutageCause, since: Instant, isDoubted: Bool)
}

extension Delivery {
  public var status: DeliveryStatus {
    outage.status ?? (lastProvenAt == nil ? .untried : .proven)
  }

  public var isInOutage: Bool { outage.isUnderWay }

  /// Whether Home Assistant accepts data, as far as known.
  public var isReached: Bool { outage.since == nil && lastProvenAt != nil }

  /// Time of the next attempt of an outage; nil without one or during an attempt.
  public var nextAttemptAt: Instant? { outage.deadline }

  /// Time since which there is no registration; kept until the first proof with a new one.
  public var unregisteredSince: Instant? { outage.unregisteredSince }

  /// Id of this device in Home Assistant's registry; nil until it is received.
  public var deviceID: Text? { cycle.server.deviceID }

  /// Version of the Home Assistant server.
  public var server: ServerVersion { cycle.server.version }
}

extension Batch {
  /// Number of values that wait for Home Assistant.
  public var waitingReadingCount: Int { slots.count { $0.isUndelivered } }

  /// Number of fixes that wait for Home Assistant: at most one.
  public var waitingFixCount: Int { fix == nil ? 0 : 1 }
}
