public import Bytes
public import LinuxIO
public import Sensing

/// The temperature of one part on a 1-Wire bus, as the kernel's `w1_therm` reads it
/// (`Documentation/w1/slaves/w1_therm.rst`).
///
/// The kernel lets the part measure while the file is read, which takes up to 0.75 s and holds up
/// the loop for so long: only root may start the measuring ahead.
public final class OneWireThermometer: Source {
  public let name: InlineText
  private let temperature: KernelFile
  private let scratchpad: KernelFile
  private var filter = OneWireFilter()
  private var sensor: DeclaredSensor
  private let sink: any ReadingSink

  /// - Parameters:
  ///   - settings: which part, and what it means.
  ///   - sys: where sysfs is mounted.
  ///   - sink: where the temperature goes.
  public init(_ settings: OneWireSettings, sys: Path = Path("/sys"), sink: any ReadingSink) {
    let part = sys / "bus" / "w1" / "devices" / settings.id
    name = settings.name
    temperature = KernelFile(part / "temperature", label: name)
    scratchpad = KernelFile(part / "w1_slave", label: name)
    sensor = DeclaredSensor(
      OneWireSettings.entityKind.description(
        of: settings.entity, uniqueID: uniqueID("one_wire_", settings.id.span)))
    self.sink = sink
  }

  public func sample(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      let celsius = FixedPoint(try millidegrees(), decimals: 3).rounded(to: 1)
      sensor.record(.number(celsius), at: moment.wallTime, in: sink)
    } catch {
      // A part that was named is a sensor before it is there.
      sensor.record(error.value, at: moment.wallTime, in: sink)
      throw error
    }
  }

  private func millidegrees() throws(SourceFailure) -> Int64 {
    let answer: OneWireFilter.Answer
    let isShorted: Bool
    do throws(Errno) {
      answer = try temperature.read { filter.answered($0) }
      isShorted = answer == .millidegrees(0) ? try isScratchpadEmpty() : false
    } catch {
      throw SourceFailure(error, of: name)
    }
    switch answer {
    case .flaw(let words): throw .malformed(name, found: words)
    case .millidegrees where isShorted:
      throw .malformed(name, found: InlineText("zeros alone, as a shorted wire does"))
    case .millidegrees(let number): return number
    }
  }

  /// A wire that is shorted reads as zeros, whose checksum is right: as 0 °C.
  private func isScratchpadEmpty() throws(Errno) -> Bool {
    do throws(Errno) {
      return try scratchpad.read { $0.starts(with: "00 00 00 00 00 00 00 00 00") }
    } catch .noSuchFile {
      return false
    }
  }
}

/// Which of the kernel's answers is a temperature.
struct OneWireFilter {
  enum Answer: Equatable {
    case millidegrees(Int64)
    /// What it is instead.
    case flaw(InlineText)
  }

  /// What the parts can measure. A part with too little power says 127,937.
  static let millidegreesRange: ClosedRange<Int64> = -55_000...125_000
  /// What a part says that has not measured since it got power.
  static let powerUpMillidegrees: Int64 = 85_000
  /// Next to a temperature that is no farther away it is believed.
  static let nearMillidegrees: Int64 = 5000

  /// The last temperature.
  private var known: Int64?

  /// Takes in what the file says.
  mutating func answered(_ text: Span<UInt8>) -> Answer {
    let text = text.trimmed()
    // The kernel tells of a bad checksum, and of a part that is gone or busy, with no text at all.
    if text.isEmpty { return .flaw(InlineText("nothing: gone, busy or a bad checksum")) }
    guard let number = KernelText.integer(text, in: Self.millidegreesRange) else {
      return .flaw(InlineText(text))
    }
    let isNear = known.map { abs($0 - number) <= Self.nearMillidegrees } ?? false
    if number == Self.powerUpMillidegrees, !isNear {
      return .flaw(InlineText("85 degrees, its value at power-up"))
    }
    known = number
    return .millidegrees(number)
  }
}
