import Bytes
import CGPIOD
import CLinux
import LinuxIO
import Sensing

/// An open GPIO chip.
@safe struct GPIOChip: ~Copyable {
  /// Maximum number of chips; the numbers of their devices are below this.
  static let chipsMax = 64

  private let chip: OpaquePointer
  private let label: [UInt8]
  private let lineCount: UInt32

  /// Opens the device of a chip.
  ///
  /// - Throws: `ENOTTY` or `ENODEV` if it is not a chip; the errors of `open(2)`.
  init(opening path: Path) throws(Errno) {
    guard let chip = unsafe path.withCString({ unsafe cgpiod_open_chip($0) }) else {
      throw Errno(code: clinux_errno())
    }
    var label = Self.emptyName
    let count = unsafe cgpiod_chip_info(chip, &label)
    guard let lineCount = UInt32(exactly: count) else {
      let error = Errno(code: clinux_errno())
      unsafe cgpiod_close_chip(chip)
      throw error
    }
    unsafe self.chip = chip
    self.label = Self.text(label)
    self.lineCount = min(lineCount, GPIOLineAddress.offsetMax + 1)
  }

  deinit { unsafe cgpiod_close_chip(chip) }

  /// Returns the offset of a line on this chip, or nil if it is not on this chip.
  func offset(of address: GPIOLineAddress) -> UInt32? {
    switch address {
    case .name(let name):
      for offset in 0..<lineCount where line(at: offset)?.name == name { return offset }
      return nil
    case .chip(let label, let offset):
      return label == self.label && offset < lineCount ? offset : nil
    }
  }

  /// Requests a line; the result has no request if that failed.
  @unsafe func request(_ settings: cgpiod_settings, as consumer: StaticString) -> cgpiod_line {
    let name = unsafe UnsafeRawPointer(consumer.utf8Start).assumingMemoryBound(to: CChar.self)
    return unsafe cgpiod_request_line(chip, settings, name)
  }

  /// Appends the kernel's report on each line, in their order. Returns false if some are missing,
  /// for example because the chip left meanwhile.
  func appendLines(to lines: inout [GPIOLineUse]) -> Bool {
    let all = (0..<lineCount).compactMap { line(at: $0) }
    lines += all
    return all.count == Int(lineCount)
  }

  func line(at offset: UInt32) -> GPIOLineUse? {
    var name = Self.emptyName
    var consumer = Self.emptyName
    let use = unsafe cgpiod_line_info(chip, offset, &name, &consumer)
    guard use >= 0 else { return nil }
    return GPIOLineUse(
      chip: label, offset: offset, name: Self.text(name), isTaken: use == 1,
      consumer: Self.text(consumer))
  }

  private static var emptyName: [UInt8] {
    [UInt8](repeating: 0, count: Int(CGPIOD_NAME_BYTE_COUNT))
  }

  private static func text(_ terminated: [UInt8]) -> [UInt8] {
    [UInt8](terminated.prefix { $0 != 0 })
  }
}

/// A chip, and the offset of a line on it.
struct GPIOLinePlace: ~Copyable {
  let chip: GPIOChip
  let offset: UInt32

  /// Looks for a line on all the chips whose devices are in `devices`. If two chips have the label,
  /// or a line of the name, the one with the lower number is taken.
  ///
  /// - Throws: `.missing`; if the line may be on a chip that cannot be opened, the reason for that.
  init(
    of address: GPIOLineAddress, named label: InlineText, in devices: Path
  ) throws(SourceFailure) {
    var failure: SourceFailure = .missing(
      InlineText(([UInt8]("a chip for ") + [UInt8](label.bytes)).span))
    for number in 0..<GPIOChip.chipsMax {
      let path = Self.path(ofChip: number, in: devices)
      do throws(Errno) {
        let chip = try GPIOChip(opening: path)
        if let offset = chip.offset(of: address) {
          self.chip = chip
          self.offset = offset
          return
        }
        if case .missing = failure { failure = .missing(label) }
      } catch .noSuchFile, .noSuchDevice, Errno(code: ENOTTY) {
        continue  // Most numbers have no chip, and some files are not chips.
      } catch {
        failure = SourceFailure(error, of: InlineText(path.bytes.span))
      }
    }
    throw failure
  }

  static func path(ofChip number: Int, in devices: Path) -> Path {
    var name = ByteBuffer(capacity: 16)
    name.append("gpiochip")
    name.append(decimal: number)
    return devices / [UInt8](name.bytes)
  }
}

extension GPIOLineAddress {
  /// Name with which the program that holds this line requested it from the kernel; nil if no
  /// program holds it, or the name is unknown.
  func holder(in devices: Path) -> InlineText? {
    guard let place = try? GPIOLinePlace(of: self, named: InlineText(text.span), in: devices)
    else { return nil }
    guard let line = place.chip.line(at: place.offset), !line.consumer.isEmpty else { return nil }
    return InlineText(line.consumer.span)
  }
}
