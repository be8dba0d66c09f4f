import CLinux
public import LinuxIO
public import Sensing

/// What the kernel says of one GPIO line: who holds it.
public struct GPIOLineUse: Equatable, Sendable {
  /// The label of its chip.
  public let chip: [UInt8]
  /// Which line of the chip it is.
  public let offset: UInt32
  /// Empty where the kernel knows none.
  public let name: [UInt8]
  /// Whether a program or a driver has it.
  public let isTaken: Bool
  /// The name by which that one asked for it; empty where it gave none.
  public let consumer: [UInt8]

  public init(chip: [UInt8], offset: UInt32, name: [UInt8], isTaken: Bool, consumer: [UInt8]) {
    self.chip = chip
    self.offset = offset
    self.name = name
    self.isTaken = isTaken
    self.consumer = consumer
  }
}

/// What the kernel says of the GPIO lines of this machine, at one moment.
public struct GPIOLineUses: Sendable {
  /// In the order of chips and lines.
  public let lines: [GPIOLineUse]
  /// Whether there are chips that could not be asked, for example because this takes root, or lines
  /// of which the kernel did not tell.
  public let isIncomplete: Bool

  public init(lines: [GPIOLineUse], isIncomplete: Bool) {
    self.lines = lines
    self.isIncomplete = isIncomplete
  }

  /// Asks the kernel.
  ///
  /// - Parameter devices: where the devices of the chips are.
  public init(in devices: Path = Path("/dev")) {
    var lines: [GPIOLineUse] = []
    var isIncomplete = false
    for number in 0..<GPIOChip.chipsMax {
      do throws(Errno) {
        let chip = try GPIOChip(opening: GPIOLinePlace.path(ofChip: number, in: devices))
        if !chip.appendLines(to: &lines) { isIncomplete = true }
      } catch .noSuchFile, .noSuchDevice, Errno(code: ENOTTY) {
        continue  // Most numbers have no chip, and some files are none.
      } catch {
        isIncomplete = true
      }
    }
    self.init(lines: lines, isIncomplete: isIncomplete)
  }

  /// The first line at an address.
  public func line(at address: GPIOLineAddress) -> GPIOLineUse? {
    switch address {
    case .name(let name): lines.first { $0.name == name }
    case .chip(let label, let offset): lines.first { $0.chip == label && $0.offset == offset }
    }
  }
}
