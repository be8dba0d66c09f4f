import Bytes
import LinuxIO
import Sensing

/// Load of the processor: the three averages of `/proc/loadavg`.
final class LoadAverage: FileSource {
  private let file: KernelFile
  private static let standardMinChange = FixedPoint(1, decimals: 1)
  private var sensors: [DeclaredSensor]
  private var answer: Result<LoadAverages, SourceFailure>?

  init(_ settings: SystemSettings, _ context: SourceContext) {
    let minChange = settings.minChange(of: .load) ?? Self.standardMinChange
    // Home Assistant sorts by characters: a space as wide as a digit brings 5 before 15.
    let names: [(id: StaticString, name: StaticString)] = [
      ("load_1_minute", "Load \u{2007}1 minute"), ("load_5_minutes", "Load \u{2007}5 minutes"),
      ("load_15_minutes", "Load 15 minutes"),
    ]
    sensors = names.map {
      DeclaredSensor(
        .diagnostic($0.id, $0.name, stateClass: "measurement", icon: "mdi:gauge"),
        minChange: minChange)
    }
    file = KernelFile(context.proc / "loadavg")
    super.init(InlineText("load average"), context)
  }

  override func readFiles() -> Bool {
    answer = file.answer { LoadAverages(parsing: $0) }
    return true
  }

  override func tell(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      guard let averages = try answer?.get() else { return }
      for index in sensors.indices {
        sensors[index].record(.number(averages[index]), at: moment.wallTime, in: sink)
      }
    } catch {
      sensors.recordFailure(error.value, at: moment.wallTime, in: sink)
      throw error
    }
  }

  override func tellSilence(at moment: Moment) {
    sensors.recordFailure(.unavailable, at: moment.wallTime, in: sink)
  }
}

/// Share of the memory that is in use, from `/proc/meminfo`.
final class Memory: NumberSource {
  /// Size of the buffer: `MemAvailable` is the third line of about fifty.
  private static let byteCountMax = 512
  private static let standardMinChange = FixedPoint(1)

  private let file: KernelFile

  init(_ settings: SystemSettings, _ context: SourceContext) {
    file = KernelFile(context.proc / "meminfo", byteCountMax: Self.byteCountMax)
    super.init(
      InlineText("memory"), context,
      .diagnostic(
        "memory_used", "Memory used", unit: "%", stateClass: "measurement", icon: "mdi:memory"),
      minChange: settings.minChange(of: .memory) ?? Self.standardMinChange)
  }

  override func number() throws(SourceFailure) -> FixedPoint {
    try file.parse { MemoryFigures(parsing: $0)?.usedPercent }
  }
}

/// Time at which the machine was started, from `/proc/uptime` and its clock.
final class LastStart: NumberSource {
  private let file: KernelFile
  private var start = StartTime()
  private var running: Result<Duration, SourceFailure>?

  init(_: SystemSettings, _ context: SourceContext) {
    file = KernelFile(context.proc / "uptime")
    super.init(
      InlineText("last start"), context,
      .diagnostic("last_start", "Last start", deviceClass: "timestamp"))
  }

  override func readFiles() -> Bool {
    running = file.answer(uptime(parsing:))
    return true
  }

  override func value(at moment: Moment) throws(SourceFailure) -> Value? {
    guard let uptime = try running?.get() else { return nil }
    return start.uptimeRead(uptime, at: moment.wallTime)
  }
}

/// Usage of a file system for everybody but root, as `df` counts it (`statvfs(3)`).
final class DiskSpace: NumberSource {
  private let path: Path
  private let label: InlineText

  /// `path` is any file or directory of the file system.
  init(
    _ settings: SystemSettings, _ context: SourceContext, holding path: Path = Path("/")
  ) {
    self.path = path
    label = InlineText(path.bytes.span)
    super.init(
      InlineText("disk space"), context,
      .diagnostic(
        "disk_used", "Disk used", unit: "%", stateClass: "measurement", icon: "mdi:harddisk"),
      minChange: settings.minChange(of: .disk))
  }

  override func number() throws(SourceFailure) -> FixedPoint {
    let space: FileSystemSpace
    do throws(Errno) { space = try FileSystemSpace(holding: path) } catch {
      throw SourceFailure(error, of: label)
    }
    guard let percent = space.usedPercent else {
      throw .unsupported(label, remedy: "name a directory of a disk or a card")
    }
    return percent
  }
}

extension FileSystemSpace {
  /// Usage without the space that root keeps for itself. Nil for file systems without blocks, such
  /// as procfs, which have no size.
  var usedPercent: FixedPoint? {
    let (whole, overflowed) = usedBytes.addingReportingOverflow(availableBytes)
    return overflowed ? nil : percentage(of: usedBytes, in: whole)
  }
}

/// Data that this program has sent and received, as a data plan counts it (`Traffic`).
final class DataTraffic: Source {
  let name = InlineText("traffic")
  private let sink: any ReadingSink
  private var sent: DeclaredSensor
  private var received: DeclaredSensor

  init(_ settings: SystemSettings, _ context: SourceContext) {
    sink = context.sink
    let minChange = settings.minChange(of: .traffic)
    sent = Self.sensor("data_sent", "Data sent", "mdi:upload-network", minChange)
    received = Self.sensor("data_received", "Data received", "mdi:download-network", minChange)
  }

  func sample(at moment: Moment) throws(SourceFailure) {
    let traffic = Traffic.ofThisProcess
    sent.record(Self.megabytes(traffic.sentByteCount), at: moment.wallTime, in: sink)
    received.record(Self.megabytes(traffic.receivedByteCount), at: moment.wallTime, in: sink)
  }

  /// Converts to megabytes, in whole thousands of bytes.
  private static func megabytes(_ byteCount: Int64) -> Value {
    .number(FixedPoint(byteCount / 1000, decimals: 3))
  }

  private static func sensor(
    _ uniqueID: StaticString, _ name: StaticString, _ icon: StaticString, _ minChange: FixedPoint?
  ) -> DeclaredSensor {
    DeclaredSensor(
      .diagnostic(
        uniqueID, name, unit: "MB", deviceClass: "data_size", stateClass: "total_increasing",
        icon: icon),
      minChange: minChange)
  }
}
