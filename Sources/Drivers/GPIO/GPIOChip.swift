import Bytes
import CGPIO
import CLinux
import LinuxIO
import Sensing

/// An open GPIO chip.
struct GPIOChip: ~Copyable {
  /// Maximum number of chips; the numbers of their devices are below this.
  static let chipsMax = 64
  /// `GPIO_MAX_NAME_SIZE` of `linux/gpio.h`, with the NUL.
  private static let nameByteCount = Int(GPIO_MAX_NAME_SIZE)

  let device: Descriptor
  private let label: [UInt8]
  private let lineCount: UInt32

  /// Opens the device of a chip.
  ///
  /// - Throws: `ENOTTY` if it is not a chip; the errors of `open(2)`.
  init(opening path: Path) throws(Errno) {
    let device = try Descriptor(opening: path, mode: .device)
    var label = [UInt8](repeating: 0, count: Self.nameByteCount)
    let count = unsafe label.withUnsafeMutableBufferPointer { label -> Int64 in
      guard let label = label.baseAddress else { return -1 }
      return unsafe cgpio_chip_info(device.number, label)
    }
    guard let lineCount = UInt32(exactly: count) else { throw Errno(code: clinux_errno()) }
    self.device = device
    self.label = Self.text(label)
    self.lineCount = min(lineCount, GPIOLineAddress.offsetMax + 1)
  }

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

  /// Appends the kernel's report on each line, in their order. Returns false if some are missing,
  /// for example because the chip left meanwhile.
  func appendLines(to lines: inout [GPIOLineUse]) -> Bool {
    let all = (0..<lineCount).compactMap { line(at: $0) }
    lines += all
    return all.count == Int(lineCount)
  }

  func line(at offset: UInt32) -> GPIOLineUse? {
    var name = [UInt8](repeating: 0, count: Self.nameByteCount)
    var consumer = name
    let use = unsafe name.withUnsafeMutableBufferPointer { name in
      unsafe consumer.withUnsafeMutableBufferPointer { consumer -> Int32 in
        guard let name = name.baseAddress, let consumer = consumer.baseAddress else { return -1 }
        return unsafe cgpio_line_info(device.number, offset, name, consumer)
      }
    }
    guard use >= 0 else { return nil }
    return GPIOLineUse(
      chip: label, offset: offset, name: Self.text(name), isTaken: use == 1,
      consumer: Self.text(consumer))
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
