import CGPIOD
public import LinuxIO

/// The names of GPIO lines of this machine: those that a person can type, at most `countMax`, in the
/// order of chips and lines. Chips that may not be opened are left out.
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
