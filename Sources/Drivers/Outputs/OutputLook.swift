public import Bytes
public import LinuxIO
public import Sensing

/// A look at an output without switching it: whether its line is there, and who holds it.
///
/// The line is not requested: the driver of a chip may switch a line that is requested or given
/// back, and a check must not start a pump.
public final class OutputLook: Source {
  public let name: InlineText
  private let address: GPIOLineAddress
  private let devices: Path
  private let sink: any ReadingSink
  private var sensor: DeclaredSensor

  init(_ settings: OutputSettings, _ context: SourceContext) {
    name = settings.name
    address = settings.address
    devices = context.devices
    sink = context.sink
    sensor = DeclaredSensor(settings.description)
  }

  /// - Throws: `.busy` if a program holds the line, even the agent; `.missing`; `.notPermitted` if
  ///   it may be at a chip that cannot be asked.
  public func sample(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      try look()
    } catch {
      sensor.record(error.value, at: moment.wallTime, in: sink)
      throw error
    }
    let words = InlineText("free; a check does not switch it")
    sensor.record(.text(words), at: moment.wallTime, in: sink)
  }

  private func look() throws(SourceFailure) {
    let uses = GPIOLineUses(in: devices)
    guard let line = uses.line(at: address) else {
      throw uses.isIncomplete ? .notPermitted(name) : .missing(name)
    }
    if line.isTaken { throw .busy(name) }
  }

  public var holder: InlineText? { address.holder(in: devices) }
}
