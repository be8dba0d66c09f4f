import Bytes
public import LinuxIO
import YAML

/// An entry of `sensors` in the configuration: its address and its name.
public struct ConfiguredEntry: Sendable {
  /// Key of the kind, such as `iio`.
  public let key: StaticString
  /// Value of that key, such as `bme280/temp`.
  public let address: [UInt8]
  public let name: [UInt8]

  init(_ key: StaticString, _ address: [UInt8], _ name: [UInt8]) {
    self.key = key
    self.address = address
    self.name = name
  }
}

/// Places that the finders of the kinds search, and the entries that the configuration has.
///
/// A finder is the function `found(in:)` of the settings of its kind. It changes nothing, opens no
/// device, and measures nothing.
public final class BoardSearch {
  /// Maximum number of stored names of a kernel folder; real ones have some dozens.
  static let namesMax = 1024
  private static let nameCharactersMax = 64

  /// Mount point of sysfs.
  let sys: Path
  /// Folder of the devices.
  let devices: Path
  private let configured: [ConfiguredEntry]
  /// Names in use, in lower case: no two sensors have the same.
  private var takenNames: [[UInt8]]

  /// Makes a search; `names` are other names in the configuration.
  public init(
    sys: Path, devices: Path = Path("/dev"), configured: [ConfiguredEntry] = [],
    names: [[UInt8]] = []
  ) {
    self.sys = sys
    self.devices = devices
    self.configured = configured
    takenNames = (configured.map { $0.name } + names).map { $0.lowercasedASCII }
  }

  /// Makes an entry of `sensors`; nil if no configuration can hold its address. Of all spellings of
  /// the address the first one is written, and of the candidates the first unused name. `words` is
  /// the reason not to read it, unless the configuration has it.
  func entry(
    _ key: StaticString, _ addresses: [[UInt8]], named candidates: [[UInt8]],
    words: MessageText? = nil
  ) -> FoundItem? {
    guard let address = addresses.first, address.canBeQuoted else { return nil }
    let known = configured.first { entry in
      [UInt8](entry.key).span.elementsEqual(key) && addresses.contains(entry.address)
    }
    let name = known?.name ?? freeName(among: candidates)
    return FoundItem(
      address, named: name, line: "{ \(key): \(yaml: address), name: \(yaml: name) }",
      reportedBy: known.map { "in the configuration as \"\(bytes: $0.name.printable)\"" },
      words: known == nil ? words : nil)
  }

  private func freeName(among candidates: [[UInt8]]) -> [UInt8] {
    let names = candidates.map { Self.name($0) }.filter { !$0.isEmpty }
    let first = names.first ?? [UInt8]("Sensor")
    var name = names.first { !isTaken($0) } ?? first
    var number = 2
    while isTaken(name), number <= Self.namesMax {
      let end = (" \(number)" as MessageText).bytes
      name = Self.cut(first, to: Self.nameCharactersMax - end.count) + end
      number += 1
    }
    takenNames.append(name.lowercasedASCII)
    return name
  }

  private func isTaken(_ name: [UInt8]) -> Bool { takenNames.contains(name.lowercasedASCII) }

  /// Converts a text of a driver or a device tree into a name that the configuration can hold.
  private static func name(_ text: [UInt8]) -> [UInt8] {
    [UInt8](cut([UInt8](text.span.trimmed()).quotable, to: nameCharactersMax).span.trimmed())
  }

  private static func cut(_ text: [UInt8], to characterCount: Int) -> [UInt8] {
    var end = 0
    for _ in 0..<characterCount where end < text.count { end = text.span.character(at: end).end }
    return [UInt8](text[..<end])
  }

  /// Returns the names in a folder, in byte order; empty if it cannot be read.
  static func names(in folder: Path) -> [[UInt8]] {
    var names: [[UInt8]] = []
    // A kernel without the folder has nothing of the kind.
    try? DirectoryReader(opening: folder).forEachName { name in
      if names.count < namesMax { insert([UInt8](name), into: &names) }
    }
    return names
  }

  /// Inserts a name in byte order. The library's sorting, specialised for each type, is several
  /// kilobytes.
  @inline(never)
  static func insert(_ name: [UInt8], into names: inout [[UInt8]]) {
    var index = names.count
    while index > 0, Text(name) < Text(names[index - 1]) { index -= 1 }
    names.insert(name, at: index)
  }
}
