import Bytes
import CGPIOD
import CLinux
import LinuxIO
import Sensing

/// An open GPIO chip.
@safe struct GPIOChip: ~Copyable {
  private let chip: OpaquePointer
  /// Name of its device, such as `gpiochip2`.
  let device: [UInt8]
  private let label: [UInt8]
  /// Name of the device that it is a part of, such as `1-0021` on an I²C bus: two expanders have
  /// one label, but never one parent. Empty if it is unknown.
  let parent: [UInt8]
  private let lineCount: UInt32

  /// Opens the device of a chip. `sys` is the mount point of sysfs.
  ///
  /// - Throws: `ENOTTY` or `ENODEV` if it is not a chip; the errors of `open(2)`.
  init(opening path: Path, sys: Path) throws(Errno) {
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
    device = path.name.bytes
    parent = DeviceFinder.place(of: sys / "bus" / "gpio" / "devices" / device)
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
      guard label == self.label || label == parent else { return nil }
      return offset < lineCount ? offset : nil
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
      chip: label, parent: parent, offset: offset, name: Self.text(name), isTaken: use == 1,
      consumer: Self.text(consumer))
  }

  private static var emptyName: [UInt8] {
    [UInt8](repeating: 0, count: Int(CGPIOD_NAME_BYTE_COUNT))
  }

  private static func text(_ terminated: [UInt8]) -> [UInt8] {
    [UInt8](terminated.prefix { $0 != 0 })
  }
}
