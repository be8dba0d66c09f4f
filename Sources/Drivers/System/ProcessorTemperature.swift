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
  private let range = KernelPart(named: []).range(of: "°C")
  override var isOptional: Bool { mayBeAbsent }
  private let mayBeAbsent: Bool

  init(_ settings: SystemSettings, _ context: SourceContext) {
    mayBeAbsent = settings.isAutomatic
    sys = context.sys
    super.init(
      InlineText("processor temperature"), context,
      SensorDescription(
        uniqueID: [UInt8]("processor_temperature"), name: [UInt8]("Processor temperature"),
        unit: [UInt8]("°C"), deviceClass: [UInt8]("temperature"),
        stateClass: [UInt8]("measurement"), isDiagnostic: true),
      minChange: settings.minChange(of: .cpuTemperature) ?? Self.standardMinChange)
  }

  override func readFiles() -> Bool {
    do throws(SourceFailure) {
      let zone = try zone(at: askedAt)
      if holdsLoopUp { return false }
      let celsius = try zone.celsius()
      if let range, !range.contains(celsius) { throw range.failure(of: zone.file.label, celsius) }
      answer = .success(.number(celsius.rounded(to: 1)))
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
    guard let best = ProcessorZone(bestOf: sys, within: range) ?? known else {
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

  /// Finds the best of the files that answer with a temperature in the range or, without a range,
  /// of all; nil if there is none.
  init?(bestOf sys: Path, within range: PlausibleRange? = nil) {
    var best: ProcessorZone?
    Self.forEach(in: sys / "class" / "thermal", "thermal_zone") { number, zone in
      guard let rank = Self.rank(of: zone, sys: sys) else { return }
      best = ProcessorZone(zone / "temp", rank, number).better(than: best, range)
    }
    Self.forEach(in: sys / "class" / "hwmon", "hwmon") { number, chip in
      guard let name = DeviceFinder.text(of: chip / "name"), ThermalZone.isMonitor(name.span) else {
        return
      }
      // Some processors lack the first one, that of the whole package.
      for name in ["temp1", "temp2"] as [StaticString] {
        let fault = KernelFile(chip / ([UInt8](name) + [UInt8]("_fault")))
        best = ProcessorZone(
          chip / ([UInt8](name) + [UInt8]("_input")), fault: fault.exists ? fault : nil,
          ThermalZone.monitorRank, number
        ).better(than: best, range)
      }
    }
    guard let best else { return nil }
    self = best
  }

  private init(_ file: Path, fault: KernelFile? = nil, _ rank: Int, _ number: Int64) {
    self.file = KernelFile(file)
    self.fault = fault
    self.rank = rank
    self.number = number
  }

  /// Numbers that some drivers of old kernels give in whole degrees: no processor stays within a
  /// few hundredths of 0 °C.
  private static let wholeDegrees: ClosedRange<Int64> = 1...150

  /// Reads a temperature in degrees.
  func celsius() throws(SourceFailure) -> FixedPoint {
    let number = try file.parse { KernelText.integer($0) }
    if fault?.reportsFault == true { throw .faulty(file.label) }
    guard !Self.wholeDegrees.contains(number) else {
      throw .malformed(file.label, found: InlineText("whole degrees, not thousandths"))
    }
    return FixedPoint(number, decimals: 3)
  }

  /// Returns this file if it is better and answers as required; else the other one.
  private func better(than other: ProcessorZone?, _ range: PlausibleRange?) -> ProcessorZone? {
    if let other, (other.rank, other.number) <= (rank, number) { return other }
    guard let range else { return self }
    guard let celsius = try? celsius(), range.contains(celsius) else { return other }
    return self
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
