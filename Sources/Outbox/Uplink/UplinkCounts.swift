extension Uplink {
  /// Counts of readings and messages since the start.
  public struct Counts: Equatable, Sendable {
    /// Values and fixes that Home Assistant is proven to have.
    public var readings = 0
    public var locations = 0
    /// Number of values and sensors that Home Assistant refused.
    public var refused = 0
    /// Number of values and fixes that newer ones replaced before they were delivered.
    public var superseded = 0
    /// Number of readings and fixes sent as history.
    public var history = 0
    /// Number of readings and fixes that the spool lost.
    public var lost = 0
    /// Messages with and without a key.
    public var sealed = 0
    public var plain = 0
    /// Cycles that ended with a proof, and outages that began or got a new cause.
    public var proven = 0
    public var unproven = 0

    mutating func happened(_ event: DeliveryEvent) {
      switch event {
      case .proven(let readings, let hasLocation):
        proven += 1
        self.readings += readings
        locations += hasLocation ? 1 : 0
      case .sensorRefused, .readingRefused: refused += 1
      case .superseded(let replaced), .recovered(_, let replaced):
        superseded += replaced.readings + replaced.fixes
      case .historyProven(let entries): history += entries
      case .outage: unproven += 1
      default: break
      }
    }
  }

  /// Result of an attempt to deliver.
  public enum Outcome: Equatable, Sendable {
    case proven
    case outage(OutageCause)
    case notRegistered(Enrollment.Problem)
    /// The state directory cannot be used; another event has the cause.
    case postponed
  }
}
