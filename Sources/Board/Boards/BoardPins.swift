import Bytes
public import LinuxIO
public import Sensing
public import YAML

/// The device tree that the kernel was started with, as sysfs shows it in
/// `firmware/devicetree/base` (Documentation/ABI/testing/sysfs-firmware-ofw).
public struct DeviceTree: Sendable {
  private static let propertyByteCountMax = 4096

  private let root: Path
  /// Names of the board, the most exact first; empty on a machine without a device tree.
  public let compatible: [[UInt8]]
  /// Model name from the maker; empty if there is none.
  public let model: [UInt8]

  /// Reads the tree below the mount point of sysfs; a machine without one is not a failure.
  public init(of sys: Path) throws(CommandFailure) {
    root = sys / "firmware/devicetree/base"
    do throws(Errno) {
      compatible = try Self.property("compatible", of: root)
      model = try Self.property("model", of: root).first ?? []
    } catch {
      throw CommandFailure(unreadable: root, error)
    }
  }

  /// Returns the texts of a property, which end with a NUL each; empty if it does not exist.
  private static func property(
    _ name: StaticString, of node: Path
  ) throws(Errno) -> [[UInt8]] {
    do throws(Errno) {
      let bytes = try readFile(at: node / name, byteCountMax: propertyByteCountMax)
      return bytes.split(separator: 0).map { [UInt8]($0) }
    } catch .noSuchFile {
      return []
    }
  }

  /// Returns whether the kernel uses the device at a node; nil if the node does not exist or cannot
  /// be read.
  public func isEnabled(_ node: [UInt8]) -> Bool? {
    let path = root / [UInt8](node.drop { $0 == UInt8(ascii: "/") })
    do throws(Errno) {
      // Each node has a name, and a node without a status is enabled.
      guard try !Self.property("name", of: path).isEmpty else { return nil }
      let status = try Self.property("status", of: path).first ?? [UInt8]("okay")
      return status.span.elementsEqual("okay") || status.span.elementsEqual("ok")
    } catch {
      return nil
    }
  }
}

/// The GPIO lines for the names of a board's pins.
public struct BoardPins: Sendable {
  /// Nil for a board without a file: only the kernel then knows lines.
  public let board: BoardFile?

  public init(_ board: BoardFile?) { self.board = board }

  /// Finds the board file of this machine.
  public init(sys: Path, packagedIn folder: [UInt8]) throws(CommandFailure) {
    self.init(try BoardFiles(packagedIn: folder).board(of: try DeviceTree(of: sys)))
  }

  /// Returns the possible addresses of the line that a person wrote, best first: the kernel's own
  /// name, then the address in the board file for the pin with this name. That is a chip and an
  /// offset, or for a chip whose label is not constant, the other names of the line. Refuses a pin
  /// that is not a GPIO line.
  public func addresses(of written: GPIOLineAddress) throws(Refusal) -> [GPIOLineAddress] {
    guard case .name(let name) = written, let board, let place = board.place(named: name) else {
      return [written]
    }
    let pin = board[place]
    guard pin.line != nil else {
      throw Refusal(
        "\(quoted: name) is \(bytes: pin.name), not a GPIO line",
        remedy: "sudo homeward pins shows the pins of this board")
    }
    let others = board.addresses(of: place)
    return [written] + others.filter { $0 != written }
  }
}

extension BoardFile {
  /// Returns the pin that a person means: by one of the names of its line, by its number (`PIN11`,
  /// if the board has one header), or by both (`J8_11`).
  public func place(named name: [UInt8]) -> Place? {
    for place in places where self[place].line != nil && self[place].names.contains(name) {
      return place
    }
    for place in places {
      let header = headers[place.header].name
      let number = place.pin + 1
      let isNumber = headers.count == 1 && name == ("PIN\(number)" as MessageText).bytes
      if isNumber || name == ("\(bytes: header)_\(number)" as MessageText).bytes { return place }
    }
    return nil
  }

  /// Returns the name of the line for similar spellings such as `gpio17`, `GPIO 17`, `BCM17` or
  /// `pin 11`; nil if none is similar.
  func nameMeant(by written: [UInt8]) -> [UInt8]? {
    let meant = written.lettersAndDigits
    let isBroadcom = meant.span.starts(with: "bcm")
    let other = isBroadcom ? [UInt8]("gpio") + meant.dropFirst(3) : meant
    for place in places where self[place].line != nil {
      let header = headers[place.header].name.lettersAndDigits
      let number = ("\(place.pin + 1)" as MessageText).bytes
      let isPin =
        meant == header + number || headers.count == 1 && meant == [UInt8]("pin") + number
      if isPin || self[place].names.contains(where: { $0.lettersAndDigits == other }) {
        return self[place].name
      }
    }
    return nil
  }

  /// Returns the pins of a line: usually one, and none for a line on no header.
  public func places(of address: GPIOLineAddress) -> [Place] {
    switch address {
    case .name(let name):
      guard let place = place(named: name) else { return [] }
      guard let line = self[place].line else { return [place] }
      return places.filter { self[$0].line == line }
    case .chip(let label, let offset):
      return places.filter { place in
        guard let line = self[place].line else { return false }
        return line.offset == offset && chips[line.chip].labels.contains(label)
      }
    }
  }

  /// Returns the addresses of a pin's line: on its chip, or for a chip whose label is not constant,
  /// by its names. Empty if the pin is not a line.
  public func addresses(of place: Place) -> [GPIOLineAddress] {
    guard let line = self[place].line else { return [] }
    let labels = chips[line.chip].labels
    if labels.isEmpty { return self[place].names.map { .name($0) } }
    return labels.map { .chip(label: $0, offset: line.offset) }
  }

  public var places: [Place] {
    headers.indices.flatMap { header in
      headers[header].pins.indices.map { Place(header: header, pin: $0) }
    }
  }
}

extension [UInt8] {
  /// ASCII letters in lower case and digits, without all other bytes.
  fileprivate var lettersAndDigits: [UInt8] { lowercasedASCII.filter { $0.isLetterOrDigit } }
}
