public import Bytes
public import HomeAssistant

// What is asked of Home Assistant, and what is told.

extension StatisticsImport {
  /// What the driver does next.
  public enum Action: Equatable, Sendable {
    /// The answer goes to the event that the question names, and a failure to `failed`.
    case ask(Question)
    case tell(Event)
  }

  /// What Home Assistant is asked, or asked to do.
  public enum Question: Equatable, Sendable {
    /// The entities of a device: `entitiesFound`.
    case findEntities(deviceID: Text)
    /// Their entries in the registry: `entriesRead`.
    case readEntries([EntityID])
    /// Whether there are figures of five minutes: `compilationLooked`.
    case lookForCompilation(ids: [Text], since: WallTime)
    /// What there are statistics of: `described`.
    case describe(id: Text)
    /// The hours that are there: `looked`.
    case look(Look)
    /// Add hours: `added`.
    case add(Addition)
  }

  /// Hours of one statistic.
  public struct Look: Equatable, Sendable {
    public let id: Text
    public let kind: StatisticsSensor.Kind
    public let start: WallTime
    public let end: WallTime
    /// What the figures are to be told in; nil of plain numbers.
    public let unit: Text?
    /// Nil where Home Assistant converts nothing.
    public let unitClass: Text?
  }

  /// Hours to be added to one statistic, in its unit.
  public struct Addition: Equatable, Sendable {
    public let id: Text
    public let unit: Text?
    /// Nil where Home Assistant named none.
    public let unitClass: Text?
    public let kind: StatisticsSensor.Kind
    public let hours: [ImportStatistics.Hour]
  }

  public enum Event: Equatable, Sendable {
    /// Home Assistant's statistics have so many hours of ours more.
    case imported(uniqueID: [UInt8], hours: Int)
    case failed(Problem)
  }

  public enum Problem: Equatable, Sendable {
    /// Home Assistant does not say which of its devices this is; it is too old for that.
    case deviceUnknown
    /// Only administrators may.
    case notAllowed
    /// Nil where it is not about one sensor.
    case refused(uniqueID: [UInt8]?, RequestError)
    /// It shows no such sensor, or keeps no statistics of it.
    case notFound(uniqueID: [UInt8])
    /// It compiles no statistics of this board, so how far it has come is not known.
    case notCompiled
    /// It took the hours and does not have them.
    case notKept(uniqueID: [UInt8])
    /// Its statistics of this sensor are in a unit that ours cannot be converted to, or of another
    /// kind; the hours are given up.
    case unfit(uniqueID: [UInt8], unit: Text?)
    /// It knows no sum from before these hours of a counter, or the counter began anew since: what
    /// Home Assistant makes of that it makes after the outage, and the hours are given up.
    case uncountable(uniqueID: [UInt8])
  }
}
