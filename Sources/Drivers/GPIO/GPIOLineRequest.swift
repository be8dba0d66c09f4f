import Bytes
import CGPIO
import CLinux
import LinuxIO
import Sensing

/// A GPIO line that the agent holds until this value ends.
struct GPIOLineRequest: ~Copyable {
  enum Purpose {
    /// Input that the kernel debounces for `quiet` if it can, with a buffer for up to 1024 events.
    case input(edges: GPIOEdges, quiet: Duration, eventCountMax: UInt32)
    /// Output that has this level from its first moment on.
    case output(Level)
  }

  private static let consumer: StaticString = "homeward"

  /// Descriptor of the kernel's events, read without blocking.
  let line: Descriptor

  /// Requests a line from the kernel.
  ///
  /// - Throws: EBUSY if another program holds it; ENXIO if its chip cannot report edges; ENODEV if
  ///   the chip has gone; EINVAL and others, depending on the chip's driver.
  init(
    _ place: borrowing GPIOLinePlace, _ purpose: Purpose, isActiveLow: Bool, bias: GPIOBias
  ) throws(Errno) {
    var wanted = cgpio_request()
    wanted.offset = place.offset
    wanted.is_active_low = isActiveLow
    wanted.bias = bias.shimValue
    switch purpose {
    case .input(let edges, let quiet, let eventCountMax):
      wanted.reports_rising = true
      wanted.reports_falling = edges == .both
      wanted.debounce_microseconds = UInt32(clamping: quiet.nanoseconds / 1000)
      wanted.event_count_max = eventCountMax
    case .output(let level):
      wanted.is_output = true
      wanted.is_active = level == .active
    }
    var number = Self.request(wanted, place)
    if number < 0, wanted.debounce_microseconds > 0 {
      // Drivers differ in the error for what they cannot do.
      wanted.debounce_microseconds = 0
      number = Self.request(wanted, place)
    }
    guard number >= 0 else { throw Errno(code: clinux_errno()) }
    line = Descriptor(owning: number)
  }

  private static func request(_ wanted: cgpio_request, _ place: borrowing GPIOLinePlace) -> Int32 {
    let chip = place.chip.device.number
    return unsafe withUnsafePointer(to: wanted) { unsafe cgpio_request_line(chip, $0, cString) }
  }

  /// Reads the present level from the kernel; of an output, as far as the chip can read it back.
  func level() throws(Errno) -> Level {
    switch cgpio_level(line.number) {
    case 0: return .inactive
    case 1: return .active
    default: throw Errno(code: clinux_errno())
    }
  }

  func set(_ level: Level) throws(Errno) {
    guard cgpio_set_level(line.number, level == .active) == 0 else {
      throw Errno(code: clinux_errno())
    }
  }

  @unsafe private static var cString: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(consumer.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

enum GPIOEdges {
  /// Edges at which the line becomes active.
  case rising
  case both
}

extension GPIOBias {
  fileprivate var shimValue: cgpio_bias {
    switch self {
    case .asIs: CGPIO_BIAS_AS_IS
    case .pullUp: CGPIO_BIAS_PULL_UP
    case .pullDown: CGPIO_BIAS_PULL_DOWN
    case .disabled: CGPIO_BIAS_DISABLED
    }
  }
}
