import Bytes
import LinuxIO
import Sensing

/// A channel that a finder has found at a device of sysfs.
struct FoundChannel {
  /// Name in the configuration, such as `temp1`.
  let name: [UInt8]
  let quantity: Quantity
  /// Label from the driver or the device tree; nil if there is none.
  let label: [UInt8]?
}

extension BoardSearch {
  /// Adds the channels of all devices of `finder` to `kind`, each as an entry of `sensors`.
  /// `channels` returns those of one device.
  func findChannels(
    _ kind: inout FoundKind, of finder: DeviceFinder, _ channels: (FoundDevice) -> [FoundChannel]
  ) {
    for device in finder.devices() {
      let all = channels(device)
      for channel in all {
        let quantity = channel.quantity
        let isOnly = all.count { $0.quantity.means(quantity) } == 1
        kind.append(
          entry(
            kind.key, device.addresses.map { $0 + [UInt8(ascii: "/")] + channel.name },
            named: device.names(of: channel, isOnly: isOnly)))
      }
    }
  }
}

extension FoundDevice {
  /// Returns possible names of a channel, the best one first.
  fileprivate func names(of channel: FoundChannel, isOnly: Bool) -> [[UInt8]] {
    let space = [UInt8(ascii: " ")]
    var names: [[UInt8]] = []
    if let label = channel.label { names += [label, title + space + label] }
    let words = space + channel.words(isOnly: isOnly)
    return names + [title + words, name + space + place + words]
  }

  /// Returns the files of the device whose names have this ending, without it, in byte order.
  func files(endingIn ending: StaticString) -> [[UInt8]] {
    let count = ending.utf8CodeUnitCount
    return BoardSearch.names(in: directory).compactMap { name in
      guard name.count > count, name.suffix(count).elementsEqual([UInt8](ending)) else {
        return nil
      }
      return [UInt8](name.dropLast(count))
    }
  }

  /// Returns the text of a file of the device; nil if there is none.
  func text(_ file: [UInt8]) -> [UInt8]? { DeviceFinder.text(of: directory / file) }
}

extension FoundChannel {
  /// Words for the channel: `temperature`, or `voltage 0` if the device measures several.
  fileprivate func words(isOnly: Bool) -> [UInt8] {
    guard let deviceClass = quantity.deviceClass, !name.contains(UInt8(ascii: "-")) else {
      return name
    }
    let words = [UInt8](deviceClass).map {
      $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0
    }
    if isOnly { return words }
    let digits = name.reversed().prefix { $0.isASCIIDigit }.reversed()
    return digits.isEmpty ? name : words + [UInt8(ascii: " ")] + digits
  }
}

extension Quantity {
  /// Whether people use the same word for both.
  fileprivate func means(_ other: Quantity) -> Bool {
    guard let deviceClass, let otherClass = other.deviceClass else { return false }
    return [UInt8](deviceClass).span.elementsEqual(otherClass)
  }
}
