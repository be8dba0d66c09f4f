import Bytes
import LinuxIO
import Sensing

/// A channel that a device of sysfs has, as a finder sees it.
struct FoundChannel {
  /// As the configuration names it, such as `temp1`.
  let name: [UInt8]
  let quantity: Quantity
  /// What the driver or the device tree calls it; nil where neither does.
  let label: [UInt8]?
}

extension BoardSearch {
  /// The channels of all devices of a folder of sysfs, each as an entry of `sensors`.
  ///
  /// - Parameters:
  ///   - kind: what takes them in.
  ///   - finder: where the devices are.
  ///   - channels: those of the device in a directory.
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
  /// What a person might call a channel, the best name first.
  fileprivate func names(of channel: FoundChannel, isOnly: Bool) -> [[UInt8]] {
    let space = [UInt8(ascii: " ")]
    var names: [[UInt8]] = []
    if let label = channel.label { names += [label, title + space + label] }
    let words = space + channel.words(isOnly: isOnly)
    return names + [title + words, name + space + place + words]
  }

  /// The files of the device whose names have this ending, without it, in the order of their bytes.
  func files(endingIn ending: StaticString) -> [[UInt8]] {
    let count = ending.utf8CodeUnitCount
    return BoardSearch.names(in: directory).compactMap { name in
      guard name.count > count, name.suffix(count).elementsEqual([UInt8](ending)) else {
        return nil
      }
      return [UInt8](name.dropLast(count))
    }
  }

  /// The text of a file of the device; nil where it has none.
  func text(_ file: [UInt8]) -> [UInt8]? { DeviceFinder.text(of: directory / file) }
}

extension FoundChannel {
  /// `temperature`, or `voltage 0` where the device measures several.
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
  /// Whether people call both by the same word.
  fileprivate func means(_ other: Quantity) -> Bool {
    guard let deviceClass, let otherClass = other.deviceClass else { return false }
    return [UInt8](deviceClass).span.elementsEqual(otherClass)
  }
}
