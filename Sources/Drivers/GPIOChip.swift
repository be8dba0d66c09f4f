import Bytes
import CGPIOD
import CLinux
import LinuxIO
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
