public import Bytes
public import HomeAssistant

// Requests to Home Assistant, and events.

extension StatisticsImport {
  /// Action for the driver.
  public enum Action: Equatable, Sendable {
    /// Send the request. The answer goes to the event named there, and a failure to `failed`.
    case ask(Question)
    case tell(Event)
  }

  /// Request to Home Assistant.
  public enum Question: Equatable, Sendable {
    /// Find the entities of a device: `entitiesFound`.
    case findEntities(deviceID: Text)
    /// Read their entries in the registry: `entriesRead`.
    case readEntries([EntityID])
    /// Check whether there are five-minute figures: `compilationLooked`.
    case lookForCompilation(ids: [Text], since: WallTime)
    /// Read the description of the statistics: `described`.
    case describe(id: Text)
    /// Read the existing hours: `looked`.
    case look(Look)
    /// Add hours: `added`.
    case add(Addition)
  }

  /// Range of hours of one statistic.
  public struct Look: Equatable, Sendable {
    public let id: Text
    public let kind: StatisticsSensor.Kind
    public let start: WallTime
    public let end: WallTime
    /// Unit of the requested figures; nil for plain numbers.
    public let unit: Text?
    /// Class of the unit; nil if Home Assistant converts nothing.
    public let unitClass: Text?
  }

  /// Hours to add to one statistic, in its unit.
  public struct Addition: Equatable, Sendable {
    public let id: Text
    public let unit: Text?
    /// Class of the unit; nil if Home Assistant named none.
    public let unitClass: Text?
    public let kind: StatisticsSensor.Kind
    public let hours: [ImportStatistics.Hour]
  }

  public enum Event: Equatable, Sendable {
    /// Home Assistant's statistics have this number of additional hours.
    case imported(uniqueID: [UInt8], hours: Int)
    case failed(Problem)
  }

  public enum Problem: Equatable, Sendable {
    /// Home Assistant does not report the id of this device; its version is too old.
    case deviceUnknown
    /// Only administrators are allowed to do this.
    case notAllowed
    /// Home Assistant refused a request; the id is nil if it is not about one sensor.
    case refused(uniqueID: [UInt8]?, RequestError)
    /// Home Assistant has no such sensor, or stores no statistics of it.
    case notFound(uniqueID: [UInt8])
    /// Home Assistant compiles no statistics of this board, so its progress is unknown.
    case notCompiled
    /// Home Assistant accepted the hours but does not have them.
    case notKept(uniqueID: [UInt8])
    /// Home Assistant's statistics of this sensor have another kind, or a unit without a
    /// conversion; the hours are dropped.
    case unfit(uniqueID: [UInt8], unit: Text?)
    /// Home Assistant has no sum from before these hours of a counter, or the counter was reset:
    /// only Home Assistant itself handles that after the outage, and the hours are dropped.
    case uncountable(uniqueID: [UInt8])
  }
}
