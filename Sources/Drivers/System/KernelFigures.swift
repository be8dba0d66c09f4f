public import Bytes
public import LinuxIO
public import Sensing

/// How busy the processor is: the three averages of `/proc/loadavg`.
public final class LoadAverage: Source {
  public let name = InlineText("load average")
  private let file: KernelFile
  private static let standardMinChange = FixedPoint(1, decimals: 1)
  private var sensors: [DeclaredSensor]
  private let sink: any ReadingSink

  /// `proc` is where procfs is mounted; `minChange` the least change that counts, nil for 0.1.
  public init(
    proc: Path = Path("/proc"), minChange: FixedPoint? = nil, sink: any ReadingSink
  ) {
    let minChange = minChange ?? Self.standardMinChange
    // Home Assistant sorts by characters: a space as wide as a digit brings 5 before 15.
    sensors = [
      Self.sensor("load_1_minute", "Load \u{2007}1 minute", minChange),
      Self.sensor("load_5_minutes", "Load \u{2007}5 minutes", minChange),
      Self.sensor("load_15_minutes", "Load 15 minutes", minChange),
    ]
    file = KernelFile(proc / "loadavg")
    self.sink = sink
  }

  public func sample(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      let averages = try file.parse { LoadAverages(parsing: $0) }
      record(averages.overOneMinute, in: 0, at: moment)
      record(averages.overFiveMinutes, in: 1, at: moment)
      record(averages.overFifteenMinutes, in: 2, at: moment)
    } catch {
      for index in sensors.indices {
        sensors[index].recordFailure(error.value, at: moment.wallTime, in: sink)
      }
      throw error
    }
  }

  private func record(_ average: FixedPoint, in index: Int, at moment: Moment) {
    sensors[index].record(.number(average), at: moment.wallTime, in: sink)
  }

  private static func sensor(
    _ uniqueID: StaticString, _ name: StaticString, _ minChange: FixedPoint
  ) -> DeclaredSensor {
    DeclaredSensor(
      SensorDescription(
        uniqueID: [UInt8](uniqueID), name: [UInt8](name), stateClass: [UInt8]("measurement"),
        icon: [UInt8]("mdi:gauge"), isDiagnostic: true),
      minChange: minChange)
  }
}

/// How much of the memory is in use, from `/proc/meminfo`.
public final class Memory: Source {
  /// `MemAvailable` is the third line of about fifty.
  private static let byteCountMax = 512

  public let name = InlineText("memory")
  private let file: KernelFile
  private var sensor: DeclaredSensor
  private let sink: any ReadingSink

  /// `proc` is where procfs is mounted; `minChange` the least change that counts, nil for 1 %.
  public init(
    proc: Path = Path("/proc"), minChange: FixedPoint? = nil, sink: any ReadingSink
  ) {
    sensor = DeclaredSensor(
      SensorDescription(
        uniqueID: [UInt8]("memory_used"), name: [UInt8]("Memory used"), unit: [UInt8]("%"),
        stateClass: [UInt8]("measurement"), icon: [UInt8]("mdi:memory"), isDiagnostic: true),
      minChange: minChange ?? FixedPoint(1))
    file = KernelFile(proc / "meminfo", byteCountMax: Self.byteCountMax)
    self.sink = sink
  }

  public func sample(at moment: Moment) throws(SourceFailure) {
    try sensor.record(at: moment.wallTime, in: sink) { () throws(SourceFailure) in
      try file.parse { MemoryFigures(parsing: $0)?.usedPercent }
    }
  }
}

/// When the machine was started, from `/proc/uptime` and its clock.
public final class LastStart: Source {
  public let name = InlineText("last start")
  private let file: KernelFile
  private var start = StartTime()
  private var sensor = DeclaredSensor(
    SensorDescription(
      uniqueID: [UInt8]("last_start"), name: [UInt8]("Last start"),
      deviceClass: [UInt8]("timestamp"), isDiagnostic: true))
  private let sink: any ReadingSink

  /// `proc` is where procfs is mounted.
  public init(proc: Path = Path("/proc"), sink: any ReadingSink) {
    file = KernelFile(proc / "uptime")
    self.sink = sink
  }

  public func sample(at moment: Moment) throws(SourceFailure) {
    let uptime: Duration
    do throws(SourceFailure) {
      uptime = try file.parse(uptime(parsing:))
    } catch {
      sensor.recordFailure(error.value, at: moment.wallTime, in: sink)
      throw error
    }
    sensor.record(
      start.uptimeRead(uptime, at: moment.wallTime), at: moment.wallTime, in: sink)
  }
}
