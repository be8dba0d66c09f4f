public import Bytes
public import HomeAssistant

// Actions of the import, and its events.

extension StatisticsImport {
  /// Action for the driver.
  public enum Action: Sendable {
    /// Send the request, and report its result to `answered`.
    case ask(RawRequest)
    case tell(Event)
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
