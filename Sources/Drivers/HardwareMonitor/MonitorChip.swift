import Bytes
import LinuxIO
import Sensing

/// Channels of hardware monitors, each one file of sysfs
/// (`Documentation/hwmon/sysfs-interface.rst`).
extension MonitorSettings {
  func source(_ context: SourceContext) -> any Source {
    let settings = self
    return entry.source("hwmon_", of: .hardwareMonitor, context) { (sys) throws(SourceFailure) in
      try settings.open(sys: sys)
    }
  }

  /// Finds the chip and the files of the channel.
  func open(sys: Path) throws(SourceFailure) -> OpenChannel {
    let name = entry.address.name
    let chip = try Self.finder(sys: sys).directory(of: entry.address.device, label: name)
    let part = KernelPart(
      named: DeviceFinder.text(of: chip / "name") ?? [],
      part: DeviceFinder.text(of: chip / "device" / "name") ?? [])
    return OpenChannel(
      file: KernelFile(chip / channel.inputFile, label: name, isReopened: false),
      fault: KernelFile(chip / channel.faultFile, label: name, isReopened: false),
      bus: DeviceBus(ofDeviceAt: chip),
      conversion: KernelConversion(
        channel.quantity, of: part, quirk: part.quirk(of: channel.name.span) { _ in nil },
        shunt: try shunt(of: chip)),
      isOneWire: part.name.span.elementsEqual("w1_slave_temp"))
  }

  /// Returns the shunt in microohms, the unit of the INA2xx drivers
  /// (`Documentation/hwmon/ina2xx.rst`).
  private func shunt(of chip: Path) throws(SourceFailure) -> KernelConversion.Shunt? {
    guard let shunt = entry.shunt else { return nil }
    let file = KernelFile(chip / "shunt_resistor", label: InlineText("shunt_resistor"))
    guard let real = shunt.times(FixedPoint(1_000_000)) else { return nil }
    return KernelConversion.Shunt(assumed: try file.parse { KernelText.decimal($0) }, real: real)
  }
}
