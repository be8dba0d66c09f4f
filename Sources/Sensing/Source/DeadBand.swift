public import Bytes

/// Suppresses the noise of a measured number: returns the last reported number while the new one
/// differs from it by less than the minimum change.
///
/// Home Assistant adds a row to its database for every state that differs from the previous one. A
/// slow drift is reported as soon as it is far enough from the last reported number.
public struct DeadBand: Sendable {
  /// Smallest change to report; nil if every change counts.
  private let minChange: FixedPoint?
  /// Whether 0 means an end, which is reported even after a small change.
  private let isRate: Bool
  private var told: FixedPoint?

  /// - Precondition: `minChange` is not negative.
  public init(minChange: FixedPoint?, isRate: Bool = false) {
    precondition((minChange?.coefficient ?? 0) >= 0, "a change has no direction here")
    self.minChange = minChange
    self.isRate = isRate
  }

  /// Returns the value to report for the reading `value`. A value that is not a number, and the
  /// first number after it, pass unchanged.
  public mutating func admit(_ value: Value) -> Value {
    guard let minChange else { return value }
    guard case .number(let number) = value else {
      told = nil
      return value
    }
    let hasEnded = isRate && number.coefficient == 0
    if let told, !hasEnded, !number.isApart(from: told, by: minChange) { return .number(told) }
    told = number
    return value
  }
}

extension DeadBand {
  /// Smallest change to report if the configuration sets none: more than the noise of common parts,
  /// less than a person cares for. Nil for a count, for a sensor without a class and for a unit
  /// that is not the agent's own for the class.
  public static func standardMinChange(of sensor: SensorDescription) -> FixedPoint? {
    guard let stateClass = sensor.stateClass, stateClass.span.elementsEqual("measurement"),
      let deviceClass = sensor.deviceClass, let unit = sensor.unit
    else { return nil }
    guard let usual = usual(of: Text(deviceClass)), unit.span.elementsEqual(usual.unit) else {
      return nil
    }
    return usual.minChange
  }

  private static func usual(of deviceClass: Text) -> (unit: StaticString, minChange: FixedPoint)? {
    switch deviceClass {
    case "apparent_power": ("VA", FixedPoint(1))
    case "precipitation_intensity": ("mm/h", FixedPoint(1, decimals: 1))
    case "temperature": ("°C", FixedPoint(2, decimals: 1))
    case "humidity", "moisture": ("%", FixedPoint(1))
    case "atmospheric_pressure": ("hPa", FixedPoint(2, decimals: 1))
    case "voltage": ("V", FixedPoint(2, decimals: 2))
    case "current": ("A", FixedPoint(5, decimals: 2))
    case "power": ("W", FixedPoint(1))
    case "energy_storage": ("Wh", FixedPoint(1, decimals: 1))
    case "illuminance": ("lx", FixedPoint(5))
    case "volume_flow_rate": ("L/min", FixedPoint(1, decimals: 1))
    case "wind_speed": ("km/h", FixedPoint(1))
    case "carbon_dioxide": ("ppm", FixedPoint(20))
    case "signal_strength": ("dBm", FixedPoint(3))
    default: nil
    }
  }
}

/// Keeps an unreliable sensor from adding two rows to Home Assistant's database at each failure:
/// from the third failure on, its last value replaces the failures, unless they last or the value
/// is old.
public struct UnrestFilter: Sendable {
  /// Number of readings of one kind in a row after which a failure is forgotten.
  static let memory = 16
  /// Maximum number of failures in a row that the last value replaces.
  public static let standInMax = 8
  /// Maximum age of a value that replaces a failure.
  public static let standInTime: Duration = .seconds(600)

  /// Number of readings until the sensor counts as reliable.
  private var unrest = 0
  private var last: (value: Value, at: WallTime)?
  private var failures = 0

  public init() {}

  /// Returns the value to report for `new`, read at `time`.
  public mutating func admit(_ new: Value, at time: WallTime) -> Value {
    switch new {
    case .number, .boolean, .text:
      if failures == 0, unrest > 0 { unrest -= 1 }
      failures = 0
      last = (new, time)
      return new
    case .unknown, .unavailable: break
    }
    if failures == 0 {
      unrest = min(unrest + Self.memory, 3 * Self.memory)
    } else if unrest > 0 {
      unrest -= 1
    }
    if failures <= Self.standInMax { failures += 1 }
    guard let last, unrest > 2 * Self.memory, failures <= Self.standInMax,
      time - last.at <= Self.standInTime
    else {
      last = nil
      return new
    }
    return last.value
  }
}

/// Decides, by the duration of its reads, whether a file of a driver is read outside the loop.
///
/// Some drivers let a part measure while its file is read: `sht3x` for 15 ms, `bh1750` for 180,
/// `scd30` for seconds. Only the reads show which ones. So an unknown file is read outside the
/// loop, which costs two changes of threads; after a fast read it is read in the loop, which costs
/// one `pread(2)`. A slow read moves it out again, until several reads in a row were fast.
///
/// The channels of a part may share a measurement, as those of `sht3x` do: the second one is fast,
/// and slow again if it does not follow the first. So a file that was moved into the loop and is
/// slow there needs twice as many fast reads the next time.
public struct ReadPace: Sendable {
  /// Maximum duration of a fast read: the edges of lines and the reports of receivers wait for it.
  public static let fastMax: Duration = .milliseconds(10)
  /// Duration of a read on a bus that is dead, or held by another program: it must not delay the
  /// loop again soon.
  public static let deadMin: Duration = .seconds(1)
  /// Number of fast reads in a row after a slow one, at first and at most.
  public static let fastReadsMin = 8
  public static let fastReadsMax = 1024

  /// Number of fast reads that a slow one requires.
  private var wanted = Self.fastReadsMin
  /// Number of fast reads that are still missing.
  private var missing = 1

  public init() {}

  /// Whether the next read is outside the loop.
  public var isBesideLoop: Bool { missing > 0 }

  /// Records the duration of a read, successful or not.
  public mutating func readEnded(after duration: Duration) {
    if duration <= Self.fastMax {
      missing = max(0, missing - 1)
      return
    }
    if !isBesideLoop {
      wanted = duration >= Self.deadMin ? Self.fastReadsMax : min(wanted * 2, Self.fastReadsMax)
    }
    missing = wanted
  }

  /// Records that the file failed and is looked for again: the new file may belong to another
  /// device.
  public mutating func fileLost() { missing = max(1, missing) }
}
