public import Bytes
public import LinuxIO
public import Sensing

/// Usage of a file system for everybody but root, as `df` counts it (`statvfs(3)`).
public final class DiskSpace: FileSource {
  private let path: Path
  private let label: InlineText
  private var sensor: DeclaredSensor
  private var answer: Result<FixedPoint, SourceFailure>?

  /// `path` is any file or directory of the file system; `minChange` the least change that counts,
  /// nil for each one that shows.
  public init(
    holding path: Path = Path("/"), minChange: FixedPoint? = nil, sink: any ReadingSink,
    _ access: SlowAccess? = nil
  ) {
    sensor = DeclaredSensor(
      SensorDescription(
        uniqueID: [UInt8]("disk_used"), name: [UInt8]("Disk used"), unit: [UInt8]("%"),
        stateClass: [UInt8]("measurement"), icon: [UInt8]("mdi:harddisk"), isDiagnostic: true),
      minChange: minChange)
    self.path = path
    label = InlineText(path.bytes.span)
    super.init(InlineText("disk space"), sink: sink, access)
  }

  override func readFiles() -> Bool {
    do throws(SourceFailure) { answer = .success(try usedPercent()) } catch {
      answer = .failure(error)
    }
    return true
  }

  override func tell(at moment: Moment) throws(SourceFailure) {
    guard let answer else { return }
    try sensor.record(at: moment.wallTime, in: sink) { () throws(SourceFailure) in
      try answer.get()
    }
  }

  override func tellSilence(at moment: Moment) {
    sensor.recordFailure(.unavailable, at: moment.wallTime, in: sink)
  }

  private func usedPercent() throws(SourceFailure) -> FixedPoint {
    let space: FileSystemSpace
    do throws(Errno) {
      space = try FileSystemSpace(holding: path)
    } catch {
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
