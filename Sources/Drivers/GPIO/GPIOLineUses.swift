public import Sensing

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
