import Bytes
import LinuxIO
import Sensing

/// Finds a device in a folder of sysfs by what stays the same across starts: the number in a name
/// such as `iio:device0` goes to the driver that comes first.
///
/// The address of a device is its file `name`, or that and the place of its parent on its bus
/// (`ads1015@1-0048`): the parent is the target of the link `device` or, without such a link, the
/// directory that holds the device's own.
struct DeviceFinder {
  /// Folder of the devices, such as `/sys/bus/iio/devices`.
  let folder: Path
  /// Prefix of the directories of devices.
  let prefix: StaticString
  /// Subsystems of a parent whose devices are reported elsewhere.
  var skippedParents: [StaticString] = []

  /// Maximum number of devices of a kind; real boards have some dozens.
  private static let devicesMax = 256

  /// Returns all devices that can be distinguished, in the order of their names and places.
  func devices() -> [FoundDevice] {
    var devices: [FoundDevice] = []
    // A kernel without the folder has no devices of the kind.
    try? DirectoryReader(opening: folder).forEachName { name in
      guard name.starts(with: prefix), devices.count < Self.devicesMax else { return }
      let directory = folder / [UInt8](name)
      guard let name = Self.text(of: directory / "name"), !isSkipped(directory) else { return }
      let device = FoundDevice(
        directory: directory, name: name, place: Self.place(of: directory),
        label: Self.text(of: directory / "label"))
      var index = devices.count
      while index > 0, device.precedes(devices[index - 1]) { index -= 1 }
      devices.insert(device, at: index)
    }
    for index in devices.indices {
      let name = devices[index].name
      devices[index].isOnly = devices.count { $0.name == name } == 1
    }
    return devices
  }

  /// Returns the directory of the only device with this address.
  ///
  /// - Throws: `.missing` if there is none, `.ambiguous` if several have the address.
  func directory(of address: [UInt8], label: InlineText) throws(SourceFailure) -> Path {
    var found: [(directory: Path, place: [UInt8])] = []
    do throws(Errno) {
      try DirectoryReader(opening: folder).forEachName { name in
        guard name.starts(with: prefix) else { return }
        let directory = folder / [UInt8](name)
        guard let place = place(of: directory, at: address) else { return }
        found.append((directory, place))
      }
    } catch .noSuchFile {
      throw .missing(label)
    } catch {
      throw SourceFailure(error, of: label)
    }
    guard let first = found.first else { throw .missing(label) }
    guard found.count == 1 else {
      let places = found.map { $0.place }.sorted { $0.lexicographicallyPrecedes($1) }
      throw .ambiguous(label, found: InlineText([UInt8](places.joined(separator: [0x20])).span))
    }
    return first.directory
  }

  /// Returns the place of the device if it has this address, else nil.
  private func place(of directory: Path, at address: [UInt8]) -> [UInt8]? {
    guard let name = Self.text(of: directory / "name"), address.span.starts(with: name.span) else {
      return nil
    }
    let place = Self.place(of: directory)
    guard address == name || address == name + [UInt8(ascii: "@")] + place else { return nil }
    return isSkipped(directory) ? nil : place
  }

  /// Returns the name of the parent of a device; empty if sysfs does not have the device.
  static func place(of directory: Path) -> [UInt8] {
    if let device = link(directory / "device") { return device.name.bytes }
    return link(directory)?.parent.name.bytes ?? []
  }

  private func isSkipped(_ directory: Path) -> Bool {
    if skippedParents.isEmpty { return false }
    guard let subsystem = Self.link(directory / "device" / "subsystem")?.name.bytes else {
      return false
    }
    return skippedParents.contains { subsystem.span.elementsEqual($0) }
  }

  private static func link(_ path: Path) -> Path? {
    do throws(Errno) { return try target(ofLinkAt: path) } catch { return nil }
  }

  /// Returns the text of a short file, without white space around it; nil if it cannot be read or
  /// is empty.
  static func text(of path: Path) -> [UInt8]? {
    do throws(Errno) {
      let text = try KernelFile(path).read { [UInt8]($0.trimmed()) }
      return text.isEmpty ? nil : text
    } catch {
      return nil
    }
  }
}

struct FoundDevice {
  let directory: Path
  /// Name from its driver.
  let name: [UInt8]
  /// Name of its parent on its bus.
  let place: [UInt8]
  /// Label from the device tree; nil if there is none.
  let label: [UInt8]?
  /// Whether no other device has its name.
  var isOnly = true

  /// Name for people, with the place if other devices have its name.
  var title: [UInt8] { label ?? (isOnly ? name : name + [UInt8(ascii: " ")] + place) }
  fileprivate var fullAddress: [UInt8] { name + [UInt8(ascii: "@")] + place }

  fileprivate func precedes(_ other: FoundDevice) -> Bool {
    Text(fullAddress) < Text(other.fullAddress)
  }

  /// Possible addresses in the configuration, the shortest one first.
  var addresses: [[UInt8]] { isOnly ? [name, fullAddress] : [fullAddress] }
}

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
