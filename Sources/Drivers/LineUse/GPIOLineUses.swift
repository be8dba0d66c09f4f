import Bytes
import CLinux
public import LinuxIO
public import Sensing

/// What the kernel says of the GPIO lines of this machine, at one moment: who holds which.
public struct GPIOLineUses: Sendable {
  /// Chips that are looked at: the numbers of their devices are below this.
  private static let chipsMax = 64
  /// Lines of a chip that are looked at.
  private static let linesMax: UInt32 = 4096

  public struct Line: Equatable, Sendable {
    /// The label of its chip.
    public let chip: [UInt8]
    /// Which line of the chip it is.
    public let offset: UInt32
    /// Empty where the kernel knows none.
    public let name: [UInt8]
    /// Whether a program or a driver has it.
    public let isTaken: Bool
    /// How that one calls itself; empty where it does not.
    public let consumer: [UInt8]

    public init(chip: [UInt8], offset: UInt32, name: [UInt8], isTaken: Bool, consumer: [UInt8]) {
      self.chip = chip
      self.offset = offset
      self.name = name
      self.isTaken = isTaken
      self.consumer = consumer
    }
  }

  public let lines: [Line]
  /// Whether there are chips that could not be asked, for example because this takes root.
  public let isIncomplete: Bool

  public init(lines: [Line], isIncomplete: Bool) {
    self.lines = lines
    self.isIncomplete = isIncomplete
  }

  /// Asks the kernel.
  ///
  /// - Parameter devices: where the devices of the chips are.
  public init(in devices: Path = Path("/dev")) {
    var lines: [Line] = []
    var isIncomplete = false
    for number in 0..<Self.chipsMax {
      do throws(Errno) {
        lines += try Self.lines(of: GPIOChipNumber(number).path(in: devices))
      } catch .noSuchFile, .noSuchDevice, Errno(code: ENOTTY) {
        continue  // Most numbers have no chip, and some files are none.
      } catch {
        isIncomplete = true
      }
    }
    self.init(lines: lines, isIncomplete: isIncomplete)
  }

  /// The first line at an address.
  public func line(at address: GPIOLineAddress) -> Line? {
    switch address {
    case .name(let name): lines.first { $0.name == name }
    case .chip(let label, let offset): lines.first { $0.chip == label && $0.offset == offset }
    }
  }

  private static func lines(of path: Path) throws(Errno) -> [Line] {
    let device = try Descriptor(opening: path, mode: .read)
    var label = NameBuffer()
    var count: UInt32 = 0
    guard unsafe label.fill({ unsafe clinux_gpio_chip(device.number, $0, &count) }) == 0 else {
      throw Errno(code: clinux_errno())
    }
    var lines: [Line] = []
    for offset in 0..<min(count, linesMax) {
      var name = NameBuffer()
      var consumer = NameBuffer()
      let isTaken = unsafe name.fill { name in
        unsafe consumer.fill { unsafe clinux_gpio_line(device.number, offset, name, $0) }
      }
      guard isTaken >= 0 else { throw Errno(code: clinux_errno()) }
      lines.append(
        Line(
          chip: label.text, offset: offset, name: name.text, isTaken: isTaken == 1,
          consumer: consumer.text))
    }
    return lines
  }
}

/// Room for a text of the kernel, with NULs at its end.
private struct NameBuffer {
  private var bytes = [UInt8](repeating: 0, count: clinux_gpio_name_size)

  var text: [UInt8] { [UInt8](bytes.prefix { $0 != 0 }) }

  /// What `body` returns; -1 where there is no room.
  @unsafe mutating func fill(_ body: (UnsafeMutablePointer<UInt8>) -> Int32) -> Int32 {
    unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return -1 }
      return unsafe body(start)
    }
  }
}

/// The number of a chip, which is only good for finding its device.
private struct GPIOChipNumber {
  private let number: Int

  init(_ number: Int) { self.number = number }

  func path(in devices: Path) -> Path {
    var name = ByteBuffer(capacity: 16)
    name.append("gpiochip")
    name.append(decimal: number)
    return devices / [UInt8](name.bytes)
  }
}
