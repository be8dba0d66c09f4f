import Bytes
import LinuxIO
import Sensing

/// The temperature of the processor, from the zone of `/sys/class/thermal` that is most likely its
/// own, or from the hardware monitor of the processor. The file is chosen once, and again after a
/// failure. A zone that is not surely the processor's is a stopgap, because a better one may not
/// have answered yet: all are examined again, each time after twice as long.
final class ProcessorTemperature: NumberSource {
  static let firstPause: Duration = .seconds(5)
  static let longestPause: Duration = .seconds(3600)
  private static let standardMinChange = FixedPoint(1)

  private let sys: Path
  private var chosen: ProcessorZone?
  private var lookAgainAt: Instant?
  private var pause = firstPause
  private let range = KernelPart(named: [UInt8]("processor")).range(of: "°C")
  override var isOptional: Bool { mayBeAbsent }
  private let mayBeAbsent: Bool

  init(_ settings: SystemSettings, _ context: SourceContext) {
    mayBeAbsent = settings.isAutomatic
    sys = context.sys
    super.init(
      InlineText("processor temperature"), context,
      .diagnostic(
        "processor_temperature", "Processor temperature", unit: "°C", deviceClass: "temperature",
        stateClass: "measurement"),
      minChange: settings.minChange(of: .cpuTemperature) ?? Self.standardMinChange)
  }

  override func readFiles() -> Bool {
    do throws(SourceFailure) {
      let zone = try zone(at: askedAt)
      if holdsLoopUp { return false }
      answer = .success(.number(try zone.celsius(within: range).rounded(to: 1)))
    } catch {
      chosen = nil
      answer = .failure(error)
    }
    return true
  }

  /// Returns the chosen zone, or another one if it is time to look for a better one.
  private func zone(at now: Instant) throws(SourceFailure) -> ProcessorZone {
    if let chosen, !chosen.isStopgap || lookAgainAt.map({ now < $0 }) ?? false { return chosen }
    let known = chosen
    let found = ProcessorZones(in: sys, within: range)
    guard let best = found.best ?? known else {
      // `system: auto` asks for nothing that this board may lack.
      if let failed = found.failed, !mayBeAbsent || !failed.zone.isStopgap { throw failed.why }
      throw .missing(InlineText("a thermal zone that answers"))
    }
    pause = known == nil ? Self.firstPause : min(pause + pause, Self.longestPause)
    (chosen, lookAgainAt) = (best, now + pause)
    return best
  }
}

/// A file with a temperature that may be the processor's, in thousandths of a degree.
struct ProcessorZone {
  let file: KernelFile
  /// File with the verdict of a hardware monitor on the temperature; nil if there is none.
  private let fault: KernelFile?
  /// Rank of the file, 0 being the surest; of equal ranks, the lower number is better.
  private let rank: Int
  private let number: Int64

  var isStopgap: Bool { rank > ThermalZone.monitorRank }

  fileprivate init(_ file: Path, fault: KernelFile? = nil, _ rank: Int, _ number: Int64) {
    self.file = KernelFile(file)
    self.fault = fault
    self.rank = rank
    self.number = number
  }

  /// Numbers that some drivers of old kernels give in whole degrees: no processor stays within a
  /// few hundredths of 0 °C.
  private static let wholeDegrees: ClosedRange<Int64> = 1...150

  /// Reads a temperature in degrees. It fails if the temperature is not in the range.
  func celsius(within range: PlausibleRange?) throws(SourceFailure) -> FixedPoint {
    let number = try file.parse { KernelText.integer($0) }
    if fault?.reportsFault == true { throw .faulty(file.label) }
    guard !Self.wholeDegrees.contains(number) else {
      throw .malformed(file.label, found: InlineText("whole degrees, not thousandths"))
    }
    let celsius = FixedPoint(number, decimals: 3)
    if let range, !range.contains(celsius) { throw range.failure(of: file.label, celsius) }
    return celsius
  }

  func isBetter(than other: ProcessorZone?) -> Bool {
    guard let other else { return true }
    return (rank, number) < (other.rank, other.number)
  }
}

/// The best of the files that may have the processor's temperature.
struct ProcessorZones {
  /// Best file that answers with a temperature in the range or, without a range, of all.
  private(set) var best: ProcessorZone?
  /// Best of the files that fail.
  private(set) var failed: (zone: ProcessorZone, why: SourceFailure)?
  private let range: PlausibleRange?

  init(in sys: Path, within range: PlausibleRange? = nil) {
    self.range = range
    Self.forEach(in: sys / "class" / "thermal", "thermal_zone") { number, zone in
      guard let rank = Self.rank(of: zone, sys: sys) else { return }
      examine(ProcessorZone(zone / "temp", rank, number))
    }
    Self.forEach(in: sys / "class" / "hwmon", "hwmon") { number, chip in
      guard let name = DeviceFinder.text(of: chip / "name"), ThermalZone.isMonitor(name.span) else {
        return
      }
      // Some processors lack the first one, that of the whole package.
      for name in ["temp1", "temp2"] as [StaticString] {
        let fault = KernelFile(chip / ([UInt8](name) + [UInt8]("_fault")))
        examine(
          ProcessorZone(
            chip / ([UInt8](name) + [UInt8]("_input")), fault: fault.exists ? fault : nil,
            ThermalZone.monitorRank, number))
      }
    }
  }

  private mutating func examine(_ zone: ProcessorZone) {
    guard zone.isBetter(than: best) else { return }
    do throws(SourceFailure) {
      if let range { _ = try zone.celsius(within: range) }
      best = zone
    } catch .missing {
      // Some monitors lack one of the two files.
    } catch {
      if zone.isBetter(than: failed?.zone) { failed = (zone, error) }
    }
  }

  /// Calls `body` with each directory of this name and its number, such as 3 of `thermal_zone3`.
  private static func forEach(
    in folder: Path, _ prefix: StaticString, _ body: (Int64, Path) -> Void
  ) {
    // A kernel without the folder has no such directories.
    try? DirectoryReader(opening: folder).forEachName { name in
      guard name.starts(with: prefix),
        let number = KernelText.integer(
          name.extracting(prefix.utf8CodeUnitCount..<name.count), in: 0...Int64.max)
      else { return }
      body(number, folder / [UInt8](name))
    }
  }

  /// Returns the rank of a zone; nil for that of a battery, which has the battery's name, and for
  /// other parts.
  private static func rank(of zone: Path, sys: Path) -> Int? {
    guard let type = DeviceFinder.text(of: zone / "type"), !type.contains(0) else {
      return ThermalZone.anyRank
    }
    if KernelFile(sys / "class" / "power_supply" / type / "type").exists { return nil }
    return ThermalZone.rank(ofType: type.span)
  }
}
