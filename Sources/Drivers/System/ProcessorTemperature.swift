public import Bytes
public import LinuxIO
public import Sensing

/// The temperature of the processor, from the zone of `/sys/class/thermal` that is most likely
/// its own. Which one that is, is found out once and again after a failure.
public final class ProcessorTemperature: Source {
  public let name = InlineText("processor temperature")
  private let zones: Path
  private let supplies: Path
  private let label: InlineText
  private var chosen: KernelFile?
  private var sensor: DeclaredSensor
  public let isOptional: Bool
  private let sink: any ReadingSink

  /// - Parameters:
  ///   - sys: where sysfs is mounted.
  ///   - isOptional: whether a machine without a zone is as good as one that has it.
  ///   - minChange: the least change that counts; nil for 1 °C.
  ///   - sink: where the temperature goes.
  public init(
    sys: Path = Path("/sys"), isOptional: Bool = false, minChange: FixedPoint? = nil,
    sink: any ReadingSink
  ) {
    self.isOptional = isOptional
    sensor = DeclaredSensor(
      SensorDescription(
        uniqueID: [UInt8]("processor_temperature"), name: [UInt8]("Processor temperature"),
        unit: [UInt8]("°C"), deviceClass: [UInt8]("temperature"),
        stateClass: [UInt8]("measurement"), icon: [UInt8]("mdi:thermometer"), isDiagnostic: true),
      minChange: minChange ?? FixedPoint(1))
    zones = sys / "class" / "thermal"
    supplies = sys / "class" / "power_supply"
    label = InlineText(zones.bytes.span)
    self.sink = sink
  }

  public func sample(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      try sensor.record(at: moment.wallTime, in: sink) { () throws(SourceFailure) in
        let zone = if let chosen { chosen } else { try choose() }
        chosen = zone
        return FixedPoint(try Self.millidegrees(of: zone), decimals: 3).rounded(to: 1)
      }
    } catch {
      chosen = nil
      throw error
    }
  }

  private static func millidegrees(of file: KernelFile) throws(SourceFailure) -> Int64 {
    try file.parse { KernelText.integer($0, in: ThermalZone.plausibleMillidegrees) }
  }

  /// The zone of the best type among those that answer, and of those the first.
  private func choose() throws(SourceFailure) -> KernelFile {
    var best: (rank: Int, number: Int64, file: KernelFile)?
    do throws(Errno) {
      let directory = try DirectoryReader(opening: zones)
      directory.forEachName { name in
        guard let number = Self.number(ofZone: name) else { return }
        let zone = zones / [UInt8](name)
        guard let rank = rank(of: zone) else { return }
        if let best, (best.rank, best.number) <= (rank, number) { return }
        let file = KernelFile(zone / "temp")
        guard (try? Self.millidegrees(of: file)) != nil else { return }
        best = (rank, number, file)
      }
    } catch {
      throw SourceFailure(error, of: label)
    }
    guard let best else { throw .missing(InlineText("a thermal zone that answers")) }
    return best.file
  }

  /// How likely a zone is the processor's; nil for a battery, whose zone is called as it is.
  private func rank(of zone: Path) -> Int? {
    let file = KernelFile(zone / "type")
    guard let type = try? file.parse({ (text) -> [UInt8]? in [UInt8](text.trimmed()) }),
      !type.isEmpty, !type.contains(0)
    else { return ThermalZone.anyRank }
    if KernelFile(supplies / type / "type").exists { return nil }
    return ThermalZone.rank(ofType: type.span)
  }

  /// The number in `thermal_zone3`; nil for the cooling devices beside it.
  private static func number(ofZone name: Span<UInt8>) -> Int64? {
    let prefix: StaticString = "thermal_zone"
    guard name.starts(with: prefix) else { return nil }
    return KernelText.integer(
      name.extracting(prefix.utf8CodeUnitCount..<name.count), in: 0...Int64.max)
  }
}
