public import Bytes

/// Number of tasks that ran or wanted to run, on average over three spans of time
/// (`Documentation/filesystems/proc.rst`, `loadavg`). Two decimals, 0 or more.
public struct LoadAverages: Sendable {
  private var averages = InlineArray<3, FixedPoint>(repeating: FixedPoint(0))

  /// Parses `0.20 0.18 0.12 1/80 11206`; nil for another form.
  public init?(parsing text: Span<UInt8>) {
    for number in averages.indices {
      guard let average = Self.average(number, of: text) else { return nil }
      averages[number] = average
    }
  }

  /// Average over 1 minute, 5 and 15 minutes, by its number from 0.
  public subscript(number: Int) -> FixedPoint { averages[number] }

  /// Returns an average. The kernel writes two decimals: another number of them means a truncated
  /// text.
  private static func average(_ number: Int, of text: Span<UInt8>) -> FixedPoint? {
    guard let field = KernelText.field(number, of: text),
      let average = KernelText.decimal(field), average.decimals == 2, average.coefficient >= 0
    else { return nil }
    return average
  }
}

/// The memory of the machine (`Documentation/filesystems/proc.rst`, `meminfo`).
public struct MemoryFigures: Equatable, Sendable {
  public let totalKibibytes: UInt64
  /// Memory that programs can still get without swapping: free memory and caches that can be
  /// dropped.
  public let availableKibibytes: UInt64

  /// Finds the lines `MemTotal:` and `MemAvailable:`; nil if one is missing or truncated, or if
  /// more is available than the total.
  public init?(parsing text: Span<UInt8>) {
    guard let total = Self.kibibytes("MemTotal:", of: text),
      let available = Self.kibibytes("MemAvailable:", of: text), total > 0, available <= total
    else { return nil }
    totalKibibytes = total
    availableKibibytes = available
  }

  /// Percent of the memory in use, with one decimal.
  public var usedPercent: FixedPoint? {
    percentage(of: totalKibibytes - availableKibibytes, in: totalKibibytes)
  }

  private static func kibibytes(_ label: StaticString, of text: Span<UInt8>) -> UInt64? {
    var start = 0
    while let end = text.firstIndex(of: UInt8(ascii: "\n"), from: start) {
      let line = text.extracting(start..<end)
      start = end + 1
      guard line.starts(with: label) else { continue }
      guard let number = KernelText.field(1, of: line), let unit = KernelText.field(2, of: line),
        unit.elementsEqual("kB"), let value = KernelText.integer(number, in: 0...Int64.max)
      else { return nil }
      return UInt64(value)
    }
    return nil
  }
}

/// Returns `part` in percent of `whole`, rounded to one decimal; nil if the whole is 0 or the part
/// is larger.
public func percentage(of part: UInt64, in whole: UInt64) -> FixedPoint? {
  guard whole > 0, part <= whole else { return nil }
  // Halving both until the product fits costs less than a millionth of a percent.
  var part = part
  var whole = whole
  while whole >= 1 << 52 {
    part >>= 1
    whole >>= 1
  }
  return FixedPoint(Int64((part * 1000 + whole / 2) / whole), decimals: 1)
}

/// Returns the time since the machine started, from `350735.47 234388.90`
/// (`Documentation/filesystems/proc.rst`, `uptime`); nil if the text has another form.
public func uptime(parsing text: Span<UInt8>) -> Duration? {
  guard let field = KernelText.field(0, of: text), let seconds = KernelText.decimal(field),
    seconds.decimals == 2, seconds.coefficient >= 0
  else { return nil }
  return .milliseconds(seconds.coefficient) * 10
}

/// The time at which the machine started, constant until the next start.
///
/// It is computed from the clock and the uptime, which do not agree to the second: the clock is
/// slewed, and both are not read at the same moment. The time changes only if the clock was set.
public struct StartTime: Sendable {
  /// A smaller change is ignored.
  public static let smallestMove: Duration = .seconds(10)
  /// A clock before this time was not set since power-on: 2020-01-01.
  public static let earliest = WallTime(nanoseconds: 1_577_836_800_000_000_000)

  /// Formatted once: each text takes memory until it is complete.
  private var told: (start: WallTime, text: InlineText)?

  public init() {}

  /// Returns the start time in ISO 8601, to the second; unknown while the clock is not set.
  public mutating func uptimeRead(_ uptime: Duration, at now: WallTime) -> Value {
    guard now >= Self.earliest else { return .unknown }
    let start = now - uptime
    let move = told.map { (start - $0.start).nanoseconds.magnitude }
    if let told, let move, move < Self.smallestMove.nanoseconds.magnitude {
      return .text(told.text)
    }
    let text = Self.text(of: start)
    told = (start, text)
    return .text(text)
  }

  private static func text(of time: WallTime) -> InlineText {
    let (seconds, _) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return InlineText(Text(iso8601: WallTime(nanoseconds: seconds * 1_000_000_000)).bytes.span)
  }
}

/// The zone of `/sys/class/thermal` with the temperature of the processor
/// (`Documentation/driver-api/thermal/sysfs-api.rst`): each driver invents the name in `type`.
/// Without such a zone, a hardware monitor may have it.
public enum ThermalZone {
  /// Returns how certainly a zone of this type is the processor's: 0 is best, `anyRank` is unknown.
  /// Nil if the type names another part. Case does not matter.
  public static func rank(ofType type: Span<UInt8>) -> Int? {
    let type = [UInt8](type.trimmed()).lowercasedASCII
    if surest.contains(type) { return 0 }
    if type.span.elementsEqual("x86_pkg_temp") { return 1 }
    if type.begins(with: processors) { return 2 }
    if type.begins(with: chips) { return 4 }
    return type.begins(with: others) ? nil : anyRank
  }

  /// Rank of a processor's hardware monitor.
  public static let monitorRank = 3
  public static let anyRank = 5

  /// Whether a hardware monitor of this name is the processor's.
  public static func isMonitor(_ name: Span<UInt8>) -> Bool {
    monitors.contains([UInt8](name))
  }

  private static let monitors: WordList =
    "coretemp k10temp k8temp zenpower via_cputemp cpu_thermal sfctemp"
  private static let surest: WordList = "cpu-thermal cpu_thermal cpu-therm"
  private static let processors: WordList = "cpu mpu bigcore littlecore tcpu b0d4"
  private static let chips: WordList = "soc bcm2835 package core cluster imx main tj"
  /// `acpitz` comes from the firmware of a PC; on many it is a number that never changes. The
  /// others are radios, memory, the supply and other parts with a thermometer.
  private static let others: WordList =
    """
    acpitz iwl wifi wlan ath radio modem mdm gpu vpu npu isp cv video camera cam display ddr dram \
    dmc mem pm pll ao aux bat charg usb nvme pch board tboard tdiode ambient skin int3 sen1 sen2 \
    sen3 sen4 tsr fan thermal-fan ve- ve_ b0 xo- xo_ sdio phy emmc ufs flash pa_ quiet wkup c7x r5f
    """
}

extension [UInt8] {
  fileprivate func begins(with words: WordList) -> Bool {
    words.words.contains { starts(with: $0) }
  }
}
