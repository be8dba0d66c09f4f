public import Bytes
public import LinuxIO
public import Sensing

/// How much of the memory is in use, from `/proc/meminfo`.
public final class Memory: Source {
  /// `MemAvailable` is the third line of about fifty.
  private static let byteCountMax = 512

  public let name = InlineText("memory")
  private let file: KernelFile
  private var sensor = DeclaredSensor(
    SensorDescription(
      uniqueID: [UInt8]("memory_used"), name: [UInt8]("Memory used"), unit: [UInt8]("%"),
      stateClass: [UInt8]("measurement"), icon: [UInt8]("mdi:memory"), isDiagnostic: true))
  private let sink: any ReadingSink

  /// `proc` is where procfs is mounted.
  public init(proc: Path = Path("/proc"), sink: any ReadingSink) {
    file = KernelFile(proc / "meminfo", byteCountMax: Self.byteCountMax)
    self.sink = sink
  }

  public func sample(at moment: Moment) throws(SourceFailure) {
    try sensor.record(at: moment.wallTime, in: sink) { () throws(SourceFailure) in
      try file.parse { MemoryFigures(parsing: $0)?.usedPercent }
    }
  }
}
