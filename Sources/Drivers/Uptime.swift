public import Bytes
public import LinuxIO
public import Sensing

/// How long the machine has been up, from `/proc/uptime`.
public final class Uptime: Source {
  public let name = InlineText("uptime")
  private let file: KernelFile
  private var sensor = DeclaredSensor(
    SensorDescription(
      uniqueID: [UInt8]("uptime"), name: [UInt8]("Uptime"), unit: [UInt8]("s"),
      deviceClass: [UInt8]("duration"), stateClass: [UInt8]("measurement"),
      icon: [UInt8]("mdi:clock-start"), isDiagnostic: true))
  private let sink: any ReadingSink

  /// `proc` is where procfs is mounted.
  public init(proc: Path = Path("/proc"), sink: any ReadingSink) {
    file = KernelFile(proc / "uptime")
    self.sink = sink
  }

  public func sample(at moment: Moment) throws(SourceFailure) {
    try sensor.record(at: moment.wallTime, in: sink) { () throws(SourceFailure) in
      FixedPoint(try file.parse(uptimeSeconds(parsing:)))
    }
  }
}
