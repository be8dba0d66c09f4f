import Bytes
import LinuxIO
public import Sensing
import YAML

/// An entry `hwmon: …` of the configuration's `sensors`: a channel of a hardware monitor.
public struct MonitorSettings: Equatable, Sendable {
  public var entry: ChannelSettings
  public var channel: MonitorChannel
}

extension MonitorSettings: SensorSettings {
  static let key: StaticString = "hwmon"
  private static let example: StaticString = "hwmon: sht3x/temp1"

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    var channel: MonitorChannel?
    let entry = ChannelSettings(
      keys, keys.required(Self.key, example: Self.example), example: Self.example,
      shunt: keys.optional("shunt"), notAmong: taken
    ) {
      channel = $0.monitorChannel($1.channel)
      return channel?.quantity
    }
    guard let entry, let channel else { return nil }
    self.init(entry: entry, channel: channel)
  }

  var entity: EntitySettings { entry.measurement.entity }
  var input: SensorInput { .part(entry.address.text) }
  var measured: [MeasuredSensor] { entry.measurement.measured }

  var remedies: SourceRemedies {
    SourceRemedies(of: entry.address.name, isNamedByPerson: true) { failure in
      switch failure {
      case .missing:
        "grep . /sys/class/hwmon/*/name shows the chips, and ls the files of each; batteries and"
          + " thermal zones are reported by the keys battery and system"
      case .ambiguous:
        "write which one, such as ina219@1-0040/in1: the name, @ and the place that is shown"
      case .implausible: ChannelSettings.implausibleRemedy
      default:
        "look at its cable and supply (i2cdetect -y 1), and whether the channel is off (in1_enable)"
      }
    }
  }
}

extension ConfigurationField {
  fileprivate func monitorChannel(_ name: [UInt8]) -> MonitorChannel? {
    if let channel = MonitorChannel(name) { return channel }
    reportNot(
      "a channel", name,
      remedy: "write in, curr, power, energy, temp, humidity or fan with its number, such as temp1")
    return nil
  }
}

extension MonitorSettings {
  /// Finder of chips, without the batteries and thermal zones that the kernel also shows as chips.
  static func finder(sys: Path) -> DeviceFinder {
    DeviceFinder(
      folder: sys / "class" / "hwmon", prefix: "hwmon",
      skippedParents: ["power_supply", "thermal"])
  }

  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Hardware monitors", key: key)
    search.findChannels(&kind, of: finder(sys: search.sys)) { device in
      device.files(endingIn: "_input").compactMap { stem in
        guard let channel = MonitorChannel(stem) else { return nil }
        return FoundChannel(
          name: channel.name, quantity: channel.quantity,
          label: device.text(stem + [UInt8]("_label")))
      }
    }
    return kind
  }
}

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

  /// Returns the shunt in microohms, the unit of INA drivers (`Documentation/hwmon/ina2xx.rst`).
  private func shunt(of chip: Path) throws(SourceFailure) -> KernelConversion.Shunt? {
    guard let shunt = entry.shunt else { return nil }
    let file = shuntFile(of: chip)
    guard let real = shunt.times(FixedPoint(1_000_000)) else { return nil }
    return KernelConversion.Shunt(assumed: try file.parse { KernelText.decimal($0) }, real: real)
  }

  /// Returns the file of the channel's own shunt, if the chip has several (`ina3221`): its sum of
  /// all channels (`curr4`) exists only if their shunts are equal.
  private func shuntFile(of chip: Path) -> KernelFile {
    let number = [UInt8](channel.name.drop { !$0.isASCIIDigit })
    for number in [number, [UInt8(ascii: "1")]] {
      let name = [UInt8]("shunt") + number + [UInt8]("_resistor")
      let file = KernelFile(chip / name, label: InlineText(name.span))
      if file.exists { return file }
    }
    return KernelFile(chip / "shunt_resistor", label: InlineText("shunt_resistor"))
  }
}
