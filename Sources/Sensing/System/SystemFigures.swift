public import Bytes

/// Number of tasks that ran or wanted to run, on average over three spans of time
/// (`Documentation/filesystems/proc.rst`, `loadavg`). Two decimals, 0 or more.
public struct LoadAverages: Equatable, Sendable {
  public let overOneMinute: FixedPoint
  public let overFiveMinutes: FixedPoint
  public let overFifteenMinutes: FixedPoint

  /// Parses `0.20 0.18 0.12 1/80 11206`; nil for another form.
  public init?(parsing text: Span<UInt8>) {
    guard let one = Self.average(0, of: text), let five = Self.average(1, of: text),
      let fifteen = Self.average(2, of: text)
    else { return nil }
    overOneMinute = one
    overFiveMinutes = five
    overFifteenMinutes = fifteen
  }

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
