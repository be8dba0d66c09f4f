import Bytes
import LinuxIO
import Sensing

/// Channels of Industrial IO devices, each one file of sysfs that is read without a buffer
/// (`Documentation/ABI/testing/sysfs-bus-iio`).
extension IIOSettings {
  func source(_ context: SourceContext) -> any Source {
    let settings = self
    return entry.source("iio_", of: .industrialIO, context) { (sys) throws(SourceFailure) in
      try settings.open(sys: sys)
    }
  }

  private var name: InlineText { entry.address.name }

  /// Finds the device, and reads the meaning of its numbers.
  func open(sys: Path) throws(SourceFailure) -> OpenChannel {
    let device = try Self.finder(sys: sys).directory(of: entry.address.device, label: name)
    let part = KernelPart(
      named: DeviceFinder.text(of: device / "name") ?? [],
      part: DeviceFinder.text(of: device / ".." / "name") ?? [])
    let quirk = part.quirk(of: channel.name.span) { DeviceFinder.text(of: device / $0) }
    let shunt = try shunt(of: device)
    let input = file(channel.inputFile, of: device)
    if input.exists {
      return opened(
        input, of: device, KernelConversion(channel.quantity, of: part, quirk: quirk, shunt: shunt))
    }
    let raw = file(channel.rawFile, of: device)
    let conversion = KernelConversion(
      raw: channel.quantity, of: part, quirk: quirk,
      offset: try number("offset", of: device) { KernelText.decimal($0) },
      scale: try number("scale", of: device) { LongDecimal($0) }, shunt: shunt)
    guard let conversion = conversion ?? meaningOfThePerson(raw) else {
      throw .distrusted(
        name, why: "has no scale: the kernel does not say what its numbers mean",
        remedy: "write what they mean: scale and to, table or factor, with unit and device_class")
    }
    return opened(raw, of: device, conversion)
  }

  /// Returns `.meaningless` if the entry gives the meaning of the raw number, or if there is no
  /// such number; else nil.
  private func meaningOfThePerson(_ raw: KernelFile) -> KernelConversion? {
    entry.measurement.calibration == nil && raw.exists ? nil : .meaningless
  }

  /// Adds the fault file of the part: a driver of the kernel reports the fault of a probe for the
  /// whole part.
  private func opened(
    _ file: KernelFile, of device: Path, _ conversion: KernelConversion
  ) -> OpenChannel {
    OpenChannel(
      file: file, fault: self.file([UInt8]("fault_ovuv"), of: device),
      bus: DeviceBus(ofDeviceAt: device), conversion: conversion)
  }

  private func file(_ file: [UInt8], of device: Path) -> KernelFile {
    KernelFile(device / file, label: name, isReopened: false)
  }

  /// Reads the first of the files that may have the attribute of this channel; nil if there is
  /// none.
  private func number<Number>(
    _ attribute: StaticString, of device: Path, _ parse: (Span<UInt8>) -> Number?
  ) throws(SourceFailure) -> Number? {
    for name in channel.files(of: attribute) {
      let file = file(name, of: device)
      if file.exists { return try file.parse(parse) }
    }
    return nil
  }

  /// Returns the shunt in ohms, the unit of the ABI.
  private func shunt(of device: Path) throws(SourceFailure) -> KernelConversion.Shunt? {
    guard let shunt = entry.shunt else { return nil }
    let assumed = try file([UInt8]("in_shunt_resistor"), of: device).parse(KernelText.decimal)
    return KernelConversion.Shunt(assumed: assumed, real: shunt)
  }
}
