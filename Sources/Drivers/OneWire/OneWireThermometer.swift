import Bytes
import LinuxIO
public import Sensing

/// The temperature of a part on a 1-Wire bus, as the kernel's `w1_therm` reads it
/// (`Documentation/w1/slaves/w1_therm.rst`).
///
/// The kernel lets the part measure while the file is read, which takes up to 0.75 s, and the parts
/// of a bus wait for one another. So the file is always read beside the loop.
public final class OneWireThermometer: NumberSource {
  /// Size of the buffer, enough for the scratchpad.
  private static let byteCountMax = 128

  private let part: Path
  private let temperature: KernelFile
  private let scratchpad: KernelFile
  private var filter: OneWireFilter
  /// Bus of the part; nil until it is looked for, and after a failure: the part may come back
  /// elsewhere.
  private var knownBus: DeviceBus?

  init(_ settings: OneWireSettings, _ context: SourceContext) {
    part = context.sys / "bus" / "w1" / "devices" / settings.id
    temperature = KernelFile(
      part / "temperature", label: settings.name, byteCountMax: Self.byteCountMax)
    scratchpad = KernelFile(
      part / "w1_slave", label: settings.name, byteCountMax: Self.byteCountMax)
    filter = OneWireFilter(of: KernelPart(named: settings.id))
    super.init(
      settings.name, context,
      OneWireSettings.entityKind.description(
        of: settings.entity, uniqueID: uniqueID("one_wire_", settings.id.span)),
      minChange: settings.entity.minChange, isNamed: true)
  }

  public override var listening: Listening { .open }
  public override var deviceKinds: DeviceKinds { .oneWire }
  override var mayHang: Bool { true }
  override var bus: DeviceBus {
    let bus = knownBus ?? DeviceBus(ofDeviceAt: part)
    knownBus = bus
    return bus
  }

  override func number() throws(SourceFailure) -> FixedPoint {
    let celsius = try read(temperature) { filter.answered($0) }.number(of: name)
    if celsius.coefficient == 0, try isShorted() {
      throw .malformed(name, found: InlineText("only zeros, as from a shorted wire"))
    }
    return celsius.rounded(to: 1)
  }

  /// Whether the scratchpad is zeros, as from a shorted wire; their checksum is right. Without this
  /// file of the kernel, 0 °C is believed.
  private func isShorted() throws(SourceFailure) -> Bool {
    guard scratchpad.exists else { return false }
    return try read(scratchpad) { $0.starts(with: "00 00 00 00 00 00 00 00 00") }
  }

  private func read<Result>(
    _ file: KernelFile, _ body: (Span<UInt8>) -> Result
  ) throws(SourceFailure) -> Result {
    do throws(Errno) { return try file.read(body) } catch {
      file.close()
      knownBus = nil
      throw SourceFailure(error, of: name)
    }
  }
}
