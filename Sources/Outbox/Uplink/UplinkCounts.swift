extension Uplink {
  /// What became of what was read, since the start.
  public struct Counts: Equatable, Sendable {
    /// Values and fixes that Home Assistant proved to have.
    public var readings = 0
    public var locations = 0
    /// Values and sensors that Home Assistant did not want.
    public var refused = 0
    /// Values and fixes that newer ones replaced before Home Assistant had them.
    public var superseded = 0
    /// Readings and fixes that went as history.
    public var history = 0
    /// Those that the spool lost.
    public var lost = 0
    /// Messages that were sent sealed, and those that went without a key.
    public var sealed = 0
    public var plain = 0
    /// Cycles that ended with a proof, and outages that began or went on for another reason.
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

  /// How an attempt to deliver ended.
  public enum Outcome: Equatable, Sendable {
    case proven
    case outage(OutageCause)
    case notRegistered(Enrollment.Problem)
    /// The state directory cannot be used, which is told by itself.
    case postponed
  }
}
