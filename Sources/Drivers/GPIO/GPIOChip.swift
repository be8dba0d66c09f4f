import Bytes
import CGPIO
import CLinux
public import LinuxIO
import Sensing

/// An open GPIO chip.
struct GPIOChip: ~Copyable {
  /// Chips that are looked at: the numbers of their devices are below this.
  static let chipsMax = 64
  /// `GPIO_MAX_NAME_SIZE` of `linux/gpio.h`, with the NUL.
  private static let nameByteCount = Int(GPIO_MAX_NAME_SIZE)

  let device: Descriptor
  private let label: [UInt8]
  private let lineCount: UInt32

  /// Opens the device of a chip.
  ///
  /// - Throws: `ENOTTY` where it is none; what `open(2)` says.
  init(opening path: Path) throws(Errno) {
    let device = try Descriptor(opening: path, mode: .read)
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

  /// Where on this chip a line is, or nil where it is not on this chip.
  func offset(of address: GPIOLineAddress) -> UInt32? {
    switch address {
    case .name(let name):
      for offset in 0..<lineCount where names(ofLine: offset)?.name == name { return offset }
      return nil
    case .chip(let label, let offset):
      return label == self.label && offset < lineCount ? offset : nil
    }
  }

  /// The names of the lines, which may be empty, until `body` has had enough.
  func forEachName(_ body: ([UInt8]) -> Bool) {
    for offset in 0..<lineCount {
      guard let line = names(ofLine: offset) else { continue }
      guard body(line.name) else { return }
    }
  }

  /// The name by which a program asked for the line; empty where none did, or gave no name.
  func consumer(ofLine offset: UInt32) -> [UInt8] { names(ofLine: offset)?.consumer ?? [] }

  private func names(ofLine offset: UInt32) -> (name: [UInt8], consumer: [UInt8])? {
    var name = [UInt8](repeating: 0, count: Self.nameByteCount)
    var consumer = name
    let result = unsafe name.withUnsafeMutableBufferPointer { name in
      unsafe consumer.withUnsafeMutableBufferPointer { consumer -> Int32 in
        guard let name = name.baseAddress, let consumer = consumer.baseAddress else { return -1 }
        return unsafe cgpio_line_info(device.number, offset, name, consumer)
      }
    }
    return result == 0 ? (Self.text(name), Self.text(consumer)) : nil
  }

  private static func text(_ terminated: [UInt8]) -> [UInt8] {
    [UInt8](terminated.prefix { $0 != 0 })
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

extension GPIOLineAddress {
  /// The name by which the program that holds this line asked the kernel for it; nil where none
  /// did, or the name is not known.
  func holder(in devices: Path) -> InlineText? {
    guard let place = try? GPIOLinePlace(of: self, named: InlineText(text.span), in: devices)
    else { return nil }
    let consumer = place.chip.consumer(ofLine: place.offset)
    return consumer.isEmpty ? nil : InlineText(consumer.span)
  }
}

/// The names of GPIO lines of this machine: those that a person can type, at most `countMax`, in
/// the order of chips and lines. Chips that may not be opened are left out.
public func gpioLineNames(in devices: Path = Path("/dev"), countMax: Int) -> [[UInt8]] {
  var names: [[UInt8]] = []
  for number in 0..<GPIOChip.chipsMax where names.count < countMax {
    guard let chip = try? GPIOChip(opening: GPIOLinePlace.path(ofChip: number, in: devices))
    else { continue }
    chip.forEachName { name in
      let isWord = name.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
      if name.count > 1, isWord { names.append(name) }
      return names.count < countMax
    }
  }
  return names
}
