import Bytes
import CLinux
public import LinuxIO
public import Sensing

/// The GPIO chips of this machine.
public struct GPIOChips: Sendable {
  /// Folder of their devices, and mount point of sysfs.
  fileprivate let devices: Path
  fileprivate let sys: Path

  public init(devices: Path = Path("/dev"), sys: Path = Path("/sys")) {
    self.devices = devices
    self.sys = sys
  }
}

/// A search through the chips, each once, from the lowest number on.
struct GPIOChipSearch: ~Copyable {
  /// `GPIO_DEV_MAX` of the kernel: the numbers of all chips are below this. The driver of an
  /// expander may use another number after each time that it was unplugged.
  private static let numbersMax = 256

  private let chips: GPIOChips
  private var number = 0
  /// Device numbers of the chips so far: the chip of a Raspberry Pi has two names in `/dev`.
  private(set) var known: [UInt64] = []
  /// Last failure to open a chip.
  private(set) var failure: SourceFailure?

  init(_ chips: GPIOChips) { self.chips = chips }

  /// Opens the next chip that can be opened; nil at the end.
  mutating func next() -> GPIOChip? {
    while number < Self.numbersMax {
      let path = path(ofChip: number)
      number += 1
      // Most numbers have no chip.
      guard let device = FileStatus(of: path)?.deviceNumber, !known.contains(device) else {
        continue
      }
      do throws(Errno) {
        let chip = try GPIOChip(opening: path, sys: chips.sys)
        known.append(device)
        return chip
      } catch .noSuchFile, .noSuchDevice, Errno(code: ENOTTY) {
        continue  // Some files are not chips.
      } catch {
        failure = SourceFailure(error, of: InlineText(path.bytes.span))
      }
    }
    return nil
  }

  mutating func nextPlace(of address: GPIOLineAddress) -> GPIOLinePlace? {
    while let chip = next() {
      if let offset = chip.offset(of: address) { return GPIOLinePlace(chip: chip, offset: offset) }
    }
    return nil
  }

  private func path(ofChip number: Int) -> Path {
    chips.devices / ("gpiochip\(number)" as MessageText).bytes
  }
}

/// A chip, and the offset of a line on it.
struct GPIOLinePlace: ~Copyable {
  let chip: GPIOChip
  let offset: UInt32

  /// Address that only this one of two lines has; without one, the name of the chip's device.
  func title(besides other: borrowing GPIOLinePlace) -> [UInt8] {
    guard !chip.parent.isEmpty, chip.parent != other.chip.parent else { return chip.device }
    return GPIOLineAddress.chip(label: chip.parent, offset: offset).text
  }
}

extension GPIOChips {
  /// Looks for a line on all chips.
  ///
  /// - Throws: `.missing`; if the line may be on a chip that cannot be opened, the reason for that;
  ///   `.ambiguous` if two lines have the address: which is the first may change with each start.
  func place(
    of address: GPIOLineAddress, named label: InlineText
  ) throws(SourceFailure) -> GPIOLinePlace {
    var search = GPIOChipSearch(self)
    guard let place = search.nextPlace(of: address) else {
      let subject = search.known.isEmpty ? [UInt8]("a chip for ") : []
      throw search.failure ?? .missing(InlineText((subject + [UInt8](label.bytes)).span))
    }
    if let other = search.nextPlace(of: address) {
      let titles = [place.title(besides: other), other.title(besides: place)]
      throw .ambiguous(label, found: InlineText([UInt8](titles.joined(separator: [0x20])).span))
    }
    return place
  }
}

extension GPIOLineAddress {
  /// Name with which the program that holds this line requested it from the kernel; nil if no
  /// program holds it, or the name is unknown.
  func holder(in chips: GPIOChips) -> InlineText? {
    guard let place = try? chips.place(of: self, named: InlineText(text.span)) else { return nil }
    guard let line = place.chip.line(at: place.offset), !line.consumer.isEmpty else { return nil }
    return InlineText(line.consumer.span)
  }
}

extension SourceContext {
  var chips: GPIOChips { GPIOChips(devices: devices, sys: sys) }
}

/// The kernel's report on a GPIO line and its holder.
public struct GPIOLineUse: Equatable, Sendable {
  /// Label of the chip.
  public let chip: [UInt8]
  /// Name of the device that the chip is a part of; empty if it is unknown.
  public var parent: [UInt8] = []
  /// Offset of the line on the chip.
  public let offset: UInt32
  /// Name of the line; empty if the kernel knows none.
  public let name: [UInt8]
  /// Whether a program or a driver holds the line.
  public let isTaken: Bool
  /// Name with which the holder requested it; empty if it gave none.
  public let consumer: [UInt8]
}

/// The kernel's report on the GPIO lines of this machine, at one moment.
public struct GPIOLineUses: Sendable {
  /// Lines in the order of chips and offsets.
  public let lines: [GPIOLineUse]
  /// Whether chips could not be asked, for example because this takes root, or lines are missing.
  public let isIncomplete: Bool

  public init(lines: [GPIOLineUse], isIncomplete: Bool) {
    self.lines = lines
    self.isIncomplete = isIncomplete
  }

  /// Asks the kernel.
  public init(in chips: GPIOChips = GPIOChips()) {
    var search = GPIOChipSearch(chips)
    var lines: [GPIOLineUse] = []
    var isIncomplete = false
    while let chip = search.next() {
      if !chip.appendLines(to: &lines) { isIncomplete = true }
    }
    self.init(lines: lines, isIncomplete: isIncomplete || search.failure != nil)
  }

  /// The first line at an address.
  public func line(at address: GPIOLineAddress) -> GPIOLineUse? {
    switch address {
    case .name(let name): lines.first { $0.name == name }
    case .chip(let label, let offset):
      lines.first { $0.offset == offset && ($0.chip == label || $0.parent == label) }
    }
  }
}
