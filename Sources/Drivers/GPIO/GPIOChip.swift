import Bytes
import CGPIOD
import CLinux
public import LinuxIO
import Sensing

/// An open GPIO chip.
@safe struct GPIOChip: ~Copyable {
  /// Chips that are looked at: the numbers of their devices are below this.
  static let chipsMax = 64

  let pointer: OpaquePointer

  init(opening path: Path) throws(Errno) {
    let opened = unsafe path.withCString { unsafe cgpiod_chip_open($0) }
    guard let opened = unsafe opened else { throw Errno(code: clinux_errno()) }
    unsafe pointer = opened
  }

  deinit { unsafe cgpiod_chip_close(pointer) }

  /// Where on this chip a line is, or nil where it is not on this chip.
  func offset(of address: GPIOLineAddress) -> UInt32? {
    switch address {
    case .name(let name):
      return UInt32(
        exactly: unsafe withCString(name) { unsafe cgpiod_chip_find_line(pointer, $0) })
    case .chip(let label, let offset):
      let hasLabel = unsafe withCString(label) { unsafe cgpiod_chip_has_label(pointer, $0) }
      return unsafe hasLabel && cgpiod_chip_has_line(pointer, offset) ? offset : nil
    }
  }
}

/// A chip, and where on it a line is.
struct GPIOLinePlace: ~Copyable {
  let chip: GPIOChip
  let offset: UInt32

  /// Looks for a line on all the chips whose devices are in `devices`. Where two chips have the
  /// label, or a line of the name, the one with the lower number is taken.
  ///
  /// - Throws: `.missing`; where the line may be on a chip that cannot be opened, why that is.
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
        continue  // Most numbers have no chip, and some files are none.
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

@unsafe
private func withCString<Result>(
  _ text: [UInt8], _ body: (UnsafePointer<CChar>) -> Result
) -> Result {
  let terminated = text + [0]
  return unsafe terminated.span.withUnsafeBufferPointer { bytes in
    guard let start = bytes.baseAddress else {
      preconditionFailure("the NUL is always there")
    }
    return unsafe body(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
  }
}

/// The names of GPIO lines of this machine: those that a person can type, at most `countMax`, in
/// the order of chips and lines. Chips that may not be opened are left out.
public func gpioLineNames(in devices: Path = Path("/dev"), countMax: Int) -> [[UInt8]] {
  var names: [[UInt8]] = []
  for number in 0..<GPIOChip.chipsMax {
    let path = GPIOLinePlace.path(ofChip: number, in: devices)
    guard let device = try? Descriptor(opening: path, mode: .read) else { continue }
    var offset: UInt32 = 0
    while names.count < countMax, let name = lineName(at: offset, of: device) {
      offset += 1
      let isWord = name.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
      if name.count > 1, isWord { names.append(name) }
    }
  }
  return names
}

/// Empty where the line has none; nil behind the last line.
private func lineName(at offset: UInt32, of device: borrowing Descriptor) -> [UInt8]? {
  var name = [UInt8](repeating: 0, count: Int(GPIO_MAX_NAME_SIZE))
  let isThere = unsafe name.withUnsafeMutableBufferPointer { name in
    guard let start = name.baseAddress else { return false }
    return unsafe cgpiod_line_name(device.number, offset, start)
  }
  return isThere ? [UInt8](name.prefix { $0 != 0 }) : nil
}
