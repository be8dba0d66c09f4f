import Bytes
import Drivers
import LinuxIO
import Sensing
import Testing

/// Keeps what sources bring, by unique id.
final class RecordingSink: ReadingSink {
  private(set) var sensors: [SensorDescription] = []
  private(set) var values: [String: Value] = [:]
  private(set) var times: [String: WallTime] = [:]
  private(set) var readingCount = 0
  private(set) var fixes: [Fix] = []
  /// Such as `BAT0: missing BAT0` and `BAT0: recovered`.
  fileprivate(set) var reports: [String] = []
  var sensorsMax = 100

  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    if let known = sensors.firstIndex(where: { $0.uniqueID == sensor.uniqueID }) {
      return SensorIndex(known)
    }
    guard sensors.count < sensorsMax else { return nil }
    #expect(sensor.isConventional, "Home Assistant would warn of \(string(sensor.uniqueID))")
    sensors.append(sensor)
    return SensorIndex(sensors.count - 1)
  }

  func record(_ reading: Reading) {
    let uniqueID = string(sensors[reading.sensor.value].uniqueID)
    values[uniqueID] = reading.value
    times[uniqueID] = reading.time
    readingCount += 1
  }

  func record(_ fix: Fix) { fixes.append(fix) }
}

extension RecordingSink: SupervisorOwner {
  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    reports.append("\(string(source)): \(string(failure))")
  }

  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {
    reports.append("\(string(source)): chose \(string(receiver))")
  }

  func sourceRecovered(_ source: InlineText) { reports.append("\(string(source)): recovered") }
}

extension SensorDescription {
  /// Whether Home Assistant knows this unit and this state class of the device class.
  fileprivate var isConventional: Bool {
    guard kind == .sensor else { return unit == nil && stateClass == nil }
    guard let deviceClass else { return true }
    if ["timestamp", "enum"].contains(string(deviceClass)) {
      return unit == nil && stateClass == nil
    }
    guard let known = SensorClass(named: deviceClass) else { return false }
    return unit.map { known.units.contains($0) } ?? (known.units.first == nil)
      && stateClass.map { known.stateClasses.contains($0) } ?? true
  }
}

func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func string(_ text: InlineText) -> String { string([UInt8](text.bytes)) }

func string(_ failure: SourceFailure) -> String {
  switch failure {
  case .missing(let subject): "missing \(string(subject))"
  case .notPermitted(let subject): "not permitted \(string(subject))"
  case .busy(let subject): "busy \(string(subject))"
  case .failed(let subject, let errno): "failed \(string(subject)) \(errno)"
  case .malformed(let subject, let found): "malformed \(string(subject)) '\(string(found))'"
  case .implausible(let subject, let found, let why):
    "implausible \(string(subject)) '\(string(found))', \(string(why))"
  case .distrusted(let subject, let why, _):
    "distrusted \(string(subject)), \(string([UInt8](why.text)))"
  case .silent(let subject): "silent \(string(subject))"
  case .withoutFix(let subject, let why): "no fix \(string(subject)), \(string([UInt8](why.text)))"
  case .wrongDate(let subject, let why):
    "wrong date \(string(subject)), \(string([UInt8](why.text)))"
  case .frozen(let subject): "frozen \(string(subject))"
  case .behind(let subject, _): "behind \(string(subject))"
  case .flooded(let subject, let rate): "flooded \(string(subject)) \(rate)"
  case .refused(let subject, let found): "refused \(string(subject)) '\(string(found))'"
  case .ambiguous(let subject, let found): "ambiguous \(string(subject)) '\(string(found))'"
  case .intermittent(let failure): "comes and goes, \(string(failure))"
  case .unsupported(let subject, let remedy):
    "unsupported \(string(subject)), \(string([UInt8](remedy.text)))"
  }
}

/// A moment of virtual time.
func at(seconds: Int64) -> Moment {
  Moment(
    instant: Instant(nanoseconds: seconds * 1_000_000_000),
    wallTime: WallTime(nanoseconds: (1_700_000_000 + seconds) * 1_000_000_000))
}

/// The moment that is so far from now.
func moment(in duration: Duration) -> Moment {
  let now = Moment.now
  return Moment(instant: now.instant + duration, wallTime: now.wallTime)
}
