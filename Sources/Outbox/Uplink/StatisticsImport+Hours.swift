public import Bytes
public import HomeAssistant
import Sensing

// Events of the import, and the hours until they are imported.

extension StatisticsImport {
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

  /// Storage of `waiting` on the disk.
  struct Keeping {
    /// Whether `waiting` has changes that are not stored.
    var isUnkept = false
    /// Whether a write should be tried now.
    var isDue = false
    /// Cause of the last failed write.
    private var failure: DiskFailure?
    private var untold: DiskFailure?

    mutating func ended(_ failure: DiskFailure?) {
      if let failure {
        if failure != self.failure { untold = failure }
      } else {
        isUnkept = false
      }
      self.failure = failure
    }

    mutating func nextAction() -> Uplink.Action? {
      if let untold = untold.take() { return .tell(.hoursNotKept(untold)) }
      guard isDue else { return nil }
      isDue = false
      return isUnkept ? .keepHours : nil
    }
  }

  /// Whether hours wait, and no known problem prevents their import.
  var isAtWork: Bool { waiting.count > 0 && problem == nil }

  mutating func record(_ reading: Reading) { measured.record(reading) }

  /// Handles a reading of the clock, which is right unless it was set since the last call.
  mutating func clockRead(_ time: WallTime, isRight: Bool, isReached: Bool) {
    measured.clockRead(time, isRight: isRight, isReached: isReached)
    while let (sensor, hour) = measured.takeHour() {
      add(hour, of: sensor)
      keeping.isDue = true
    }
  }

  /// Allows another attempt of a failed write.
  mutating func cycleDue() { keeping.isDue = true }

  /// Handles the end of a write of `waiting`; `failure` is nil after a success.
  mutating func kept(_ failure: DiskFailure?) { keeping.ended(failure) }
}
