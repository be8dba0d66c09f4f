import Bytes
import LinuxIO
import Sensing

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
