import Bytes
import LinuxIO
import Sensing

/// The channels of Industrial IO devices, each one file of sysfs that is read without a buffer
/// (`Documentation/ABI/testing/sysfs-bus-iio`).
extension IIOSettings {
  /// The channel as a source.
  func source(_ context: SourceContext) -> KernelSensor {
    let settings = self
    return entry.source("iio_", of: .industrialIO, context) { (sys) throws(SourceFailure) in
      try settings.open(sys: sys)
    }
  }

  private var name: InlineText { entry.address.name }

  /// Finds the device, and reads how its numbers are meant.
  func open(sys: Path) throws(SourceFailure) -> OpenChannel {
    let device = try Self.finder(sys: sys).directory(of: entry.address.device, label: name)
    let bus = DeviceBus(ofDeviceAt: device)
    let input = file(channel.inputFile, of: device)
    if input.exists {
      return OpenChannel(
        file: input, bus: bus,
        conversion: KernelConversion(channel.quantity, shunt: try shunt(of: device)))
    }
    let chip = DeviceFinder.text(of: device / "name") ?? []
    let part = DeviceFinder.text(of: device / ".." / "name") ?? []
    return OpenChannel(
      file: file(channel.rawFile, of: device), bus: bus,
      conversion: KernelConversion(
        channel.quantity,
        offset: try number("offset", of: device) ?? KernelConversion.offset(of: chip.span),
        scale: try number("scale", of: device) ?? FixedPoint(1),
        shunt: try shunt(of: device),
        limits: KernelConversion.limits(of: chip.span, part: part.span)))
  }

  private func file(_ file: [UInt8], of device: Path) -> KernelFile {
    KernelFile(device / file, label: name, isReopened: false)
  }

  /// The first of the files that may say it for this channel; nil where there is none.
  private func number(
    _ attribute: StaticString, of device: Path
  ) throws(SourceFailure) -> FixedPoint? {
    for name in channel.files(of: attribute) {
      let file = file(name, of: device)
      if file.exists { return try file.parse(KernelText.decimal) }
    }
    return nil
  }

  /// Ohms, as the ABI has them.
  private func shunt(of device: Path) throws(SourceFailure) -> KernelConversion.Shunt? {
    guard let shunt = entry.shunt else { return nil }
    let assumed = try file([UInt8]("in_shunt_resistor"), of: device).parse(KernelText.decimal)
    return KernelConversion.Shunt(assumed: assumed, real: shunt)
  }
}
