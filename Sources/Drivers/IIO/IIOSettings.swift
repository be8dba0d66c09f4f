import Bytes
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
        "the part does not answer: look at its cable and its supply (i2cdetect -y 1 shows the parts)"
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
    report(
      "\(quoted: name) is not a channel",
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
