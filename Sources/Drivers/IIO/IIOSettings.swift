import Bytes
import LinuxIO
public import Sensing
import YAML

/// An entry `iio: …` of the configuration's `sensors`: a channel of an Industrial IO device.
public struct IIOSettings: Equatable, Sendable {
  public var entry: ChannelSettings
  public var channel: IIOChannel
}

extension IIOSettings: SensorSettings {
  static let key: StaticString = "iio"
  private static let example: StaticString = "iio: bme280/temp"

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    var channel: IIOChannel?
    let entry = ChannelSettings(
      keys, keys.required(Self.key, example: Self.example), example: Self.example,
      shunt: keys.optional("shunt"), notAmong: taken
    ) {
      channel = $0.iioChannel($1.channel)
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
        "grep . /sys/bus/iio/devices/*/name shows the devices, and ls the files of each; for a"
          + " missing one, check its dtoverlay in /boot/firmware/config.txt and its cable"
      case .ambiguous:
        "write which one, such as ads1015@1-0048/voltage0: the name, @ and the place that is shown"
      case .busy:
        "a program reads the device through its buffer; stop it, or write 0 to buffer/enable"
      case .implausible: ChannelSettings.implausibleRemedy
      case .malformed:
        "the input of the converter is out of range, or its driver has another format"
      default:
        "look at its cable and supply (i2cdetect -y 1 shows the parts)"
      }
    }
  }
}

extension ConfigurationField {
  fileprivate func iioChannel(_ name: [UInt8]) -> IIOChannel? {
    let isFile =
      name.span.starts(with: "in_") || name.span.ends(with: "_raw")
      || name.span.ends(with: "_input")
    if !isFile, let channel = IIOChannel(name) { return channel }
    reportNot(
      "a channel", name,
      remedy: "write the file's name without in_ and without _raw or _input, such as voltage0")
    return nil
  }
}

extension Span where Element == UInt8 {
  fileprivate func ends(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && extracting((count - text.utf8CodeUnitCount)...).elementsEqual(text)
  }
}

extension IIOSettings {
  static func finder(sys: Path) -> DeviceFinder {
    DeviceFinder(folder: sys / "bus" / "iio" / "devices", prefix: "iio:device")
  }

  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Converters and sensors of Industrial IO", key: key)
    search.findChannels(&kind, of: finder(sys: search.sys)) { device in
      var stems = device.files(endingIn: "_input")
      for stem in device.files(endingIn: "_raw") where !stems.contains(stem) {
        BoardSearch.insert(stem, into: &stems)
      }
      return stems.compactMap { stem in
        guard stem.span.starts(with: "in_"), let channel = IIOChannel([UInt8](stem.dropFirst(3)))
        else { return nil }
        return FoundChannel(
          name: channel.name, quantity: channel.quantity,
          label: device.text(stem + [UInt8]("_label")))
      }
    }
    return kind
  }
}

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
    if let own = try number("shunt_resistor", of: device, { KernelText.decimal($0) }) {
      return KernelConversion.Shunt(assumed: own, real: shunt)
    }
    let assumed = try file([UInt8]("in_shunt_resistor"), of: device).parse(KernelText.decimal)
    return KernelConversion.Shunt(assumed: assumed, real: shunt)
  }
}
