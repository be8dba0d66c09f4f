public import Bytes
public import LinuxIO
public import Sensing

/// Receiver of state changes of the anchor watch.
public protocol AnchorAlarmOwner: AnyObject {
  /// Reports that the watch has changed its state.
  func anchorChanged(_ status: AnchorMonitor.Status)
}

/// The anchor watch between the source of the fixes and their receiver: it passes everything on,
/// and adds a sensor that is on while the boat is not at its anchor place.
///
/// `AnchorMonitor` judges. Commands set the watch, and so does a line if one is configured: a
/// `GPIOLine` of its own, whose levels arrive through `AnchorSwitch` and go no further.
public final class AnchorAlarm {
  public static let fileName: StaticString = "anchor.watch"
  /// Limit longer than a file of this version: a newer version is recognised by its beginning.
  private static let fileByteCountMax = 256
  /// Name of the file in messages.
  static var fileLabel: InlineText { InlineText(fileName) }

  public let name = InlineText("anchor")
  private let sink: any ReadingSink
  private let supervisor: Supervisor
  private unowned(unsafe) let owner: (any AnchorAlarmOwner)?
  private let now: () -> Instant
  private var monitor: AnchorMonitor
  private var file: KeptFile
  private var sensor: DeclaredSensor
  /// State of the last report.
  private var told: AnchorMonitor.State?
  /// Whether reading the file was tried in this cycle.
  private var isFileAsked = false

  /// Makes the watch, which is stored in `directory`; `owner` outlives it. `now` returns the
  /// present, because readings have only the time of day.
  public init(
    _ settings: AnchorSettings, in directory: Path, _ context: SourceContext,
    owner: (any AnchorAlarmOwner)?, now: @escaping () -> Instant = { Moment.now.instant }
  ) {
    sink = context.sink
    supervisor = context.supervisor
    unsafe self.owner = owner
    self.now = now
    monitor = AnchorMonitor(
      radiusMeters: settings.radiusMeters, hasLine: settings.line != nil, cycle: context.cycle,
      now: context.now)
    file = KeptFile(Self.fileName, in: directory, byteCountMax: Self.fileByteCountMax)
    sensor = DeclaredSensor(settings.description)
  }

  public var status: AnchorMonitor.Status { monitor.status }

  // MARK: Commands

  /// Sets the watch: the anchor is at the position of the next trustworthy fix.
  public func setAnchor(at moment: Moment) {
    restore(at: moment)
    monitor.set(by: .command)
    tell(at: moment)
  }

  /// Clears the watch.
  public func clearAnchor(at moment: Moment) {
    restore(at: moment)
    monitor.clear()
    tell(at: moment)
  }

  // MARK: Results

  /// Restores the watch of an earlier run. A file that cannot be read is tried again in each cycle.
  private func restore(at moment: Moment) {
    guard !file.isRead, !isFileAsked else { return }
    isFileAsked = true
    do throws(SourceFailure) {
      let kept = try file.read { (bytes) throws(KeptFrameError) in try KeptAnchor(file: bytes.span)
      }
      if let kept { monitor.restored(kept, now: moment.instant) }
      supervisor.worked(Self.fileLabel)
    } catch {
      supervisor.failed(Self.fileLabel, error, now: moment.instant)
    }
  }

  /// Stores and reports the changes.
  private func tell(at moment: Moment) {
    if !file.isRead, monitor.isDecided {
      // The last decision counts, whatever the file contains.
      file.isRead = true
      monitor.keepingFailed()
    }
    if monitor.isToBeKept, file.isRead { keep(now: moment.instant) }
    let state = monitor.state
    guard state != told else { return }
    let isNews = told != nil || state != .unset
    told = state
    sensor.recordState(state.value, at: moment.wallTime, in: sink)
    if isNews { unsafe owner?.anchorChanged(monitor.status) }
  }

  private func keep(now: Instant) {
    do throws(SourceFailure) {
      try file.write(monitor.takeKept().file.bytes)
      supervisor.worked(Self.fileLabel)
    } catch {
      monitor.keepingFailed()
      supervisor.failed(Self.fileLabel, error, now: now)
    }
  }

  /// Handles a level of the line that sets the watch.
  fileprivate func lineRead(_ value: Value) {
    let moment = present
    restore(at: moment)
    switch value {
    case .boolean(let isActive): monitor.lineSettled(isActive ? .active : .inactive)
    case .number, .text, .unknown, .unavailable: monitor.lineLost()
    }
    tell(at: moment)
  }

  private var present: Moment { Moment(instant: now(), wallTime: Moment.now.wallTime) }
}

extension AnchorMonitor.State {
  /// Value of the sensor; unavailable without a watch.
  fileprivate var value: Value {
    switch self {
    case .unset: .unavailable
    case .awaitingPlace, .unknown: .unknown
    case .inside: .boolean(false)
    case .outside: .boolean(true)
    }
  }
}

extension AnchorAlarm: ReadingSink {
  public func declare(_ sensor: SensorDescription) -> SensorIndex? { sink.declare(sensor) }

  public func record(_ reading: Reading) { sink.record(reading) }

  public func record(_ fix: Fix) {
    sink.record(fix)
    let moment = present
    restore(at: moment)
    monitor.fixReported(fix)
    tell(at: moment)
  }
}

extension AnchorAlarm: Source {
  public func paceChanged(to pace: SamplingPace) { monitor.cycleChanged(to: pace.cycle) }

  /// Reads nothing: the receiver and the line deliver the data.
  public func sample(at moment: Moment) {
    isFileAsked = false
    restore(at: moment)
    monitor.cycleDue(now: moment.instant)
    tell(at: moment)
  }
}

/// Sink for the levels of the line that sets an anchor watch; its sensor is not one of the board.
public final class AnchorSwitch: ReadingSink {
  private let alarm: AnchorAlarm

  public init(of alarm: AnchorAlarm) { self.alarm = alarm }

  public func declare(_ sensor: SensorDescription) -> SensorIndex? { SensorIndex(0) }
  public func record(_ reading: Reading) { alarm.lineRead(reading.value) }
  public func record(_ fix: Fix) {}
}
