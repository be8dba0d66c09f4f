public import Bytes
public import LinuxIO
public import Sensing

/// A battery unknown to the kernel: between the sources and the receiver of their readings, it
/// passes everything on, and adds the state that follows from the battery's voltage and current.
///
/// `BatteryEstimator` judges. If the device that measures the voltage counts the charge itself, its
/// percentage is used instead.
public final class EstimatedBattery {
  /// A sensor of another source that measures the battery.
  private struct Input {
    var index: SensorIndex?
    /// Decimals of its unit in millionths of a volt or an ampere; nil for another unit.
    var decimals: UInt8?
  }

  public let name = EstimatedBatterySettings.sourceName
  private let settings: EstimatedBatterySettings
  private let sink: any ReadingSink
  private let now: () -> Instant
  private var estimator: BatteryEstimator
  private var voltage = Input()
  private var current = Input()
  private var charge = Input()
  /// Charge counted by the device; nil if it does not count.
  private var counted: Value?
  private var capacity: DeclaredSensor
  private var status: DeclaredSensor
  private var confidence: DeclaredSensor
  private var wasAsked = false

  /// Makes the driver; `now` returns the present, because readings have only the time of day.
  init(
    _ settings: EstimatedBatterySettings, _ context: SourceContext,
    now: @escaping () -> Instant = { Moment.now.instant }
  ) {
    self.settings = settings
    sink = context.sink
    self.now = now
    estimator = BatteryEstimator(chemistry: settings.chemistry, cells: settings.cells)
    capacity = DeclaredSensor(
      .estimatedCapacity(of: settings.name), minChange: settings.minChange)
    status = DeclaredSensor(
      .estimated("status", of: settings.name, icon: "mdi:battery-charging"))
    confidence = DeclaredSensor(
      .estimated("confidence", of: settings.name, icon: "mdi:battery-unknown"))
  }

  // MARK: Inputs

  private func notice(_ sensor: SensorDescription, _ index: SensorIndex) {
    // A device that replaced another one has sensors of the same names.
    if sensor.isCalled(settings.voltage) {
      voltage = Input(index: index, decimals: sensor.decimalsOfMillionths)
    }
    if let name = settings.current, sensor.isCalled(name) {
      current = Input(index: index, decimals: sensor.decimalsOfMillionths)
    }
    if let name = settings.charge, sensor.isCalled(name) { charge = Input(index: index) }
  }

  private func take(_ reading: Reading) {
    if reading.sensor == voltage.index {
      estimator.voltageRead(microvolts: micros(reading.value, voltage), now: now())
    } else if reading.sensor == current.index {
      estimator.currentRead(microamperes: micros(reading.value, current), now: now())
    } else if reading.sensor == charge.index {
      if case .number = reading.value { counted = reading.value } else { counted = nil }
    } else {
      return
    }
    tell(at: reading.time)
  }

  /// Returns the value in millionths; nil if it is not a number, or is too large.
  private func micros(_ value: Value, _ input: Input) -> Int64? {
    input.decimals.flatMap { value.millionths(decimals: $0) }
  }

  // MARK: Estimate

  private func tell(at time: WallTime) {
    guard estimator.isMeasured || counted != nil else {
      let value: Value = estimator.impossibleMicrovolts == nil ? .unavailable : .unknown
      capacity.recordFailure(value, at: time, in: sink)
      status.recordFailure(value, at: time, in: sink)
      confidence.recordFailure(value, at: time, in: sink)
      return
    }
    let estimate = estimator.percent.map { Value.number(FixedPoint(Int64($0))) }
    capacity.record(counted ?? estimate ?? .unknown, at: time, in: sink)
    let words = counted != nil ? BatteryConfidence.counted.words : estimator.confidence.words
    confidence.record(.text(InlineText(words)), at: time, in: sink)
    let word = estimator.isMeasured ? estimator.status?.word : nil
    status.record(word.map { .text(InlineText($0)) } ?? .unknown, at: time, in: sink)
  }
}

extension EstimatedBattery: ReadingSink {
  public func declare(_ sensor: SensorDescription) -> SensorIndex? {
    var sensor = sensor
    if sensor.isCalled(settings.voltage) { sensor.powerFigure = .voltage }
    let index = sink.declare(sensor)
    if let index { notice(sensor, index) }
    return index
  }

  public func record(_ reading: Reading) {
    sink.record(reading)
    take(reading)
  }

  public func record(_ fix: Fix) { sink.record(fix) }
}

extension EstimatedBattery: Source {
  /// Reads nothing: other sources deliver the data. Those that listen deliver theirs after the
  /// first cycle has begun.
  public func sample(at moment: Moment) throws(SourceFailure) {
    defer { wasAsked = true }
    let name = settings.voltage
    if let microvolts = estimator.impossibleMicrovolts {
      throw .malformed(InlineText(name.span), found: settings.words(ofImpossible: microvolts))
    }
    guard wasAsked, voltage.index == nil else { return }
    throw .missing(InlineText(name.span))
  }
}

extension SensorDescription {
  fileprivate func isCalled(_ text: [UInt8]) -> Bool { name == text || uniqueID == text }
}
