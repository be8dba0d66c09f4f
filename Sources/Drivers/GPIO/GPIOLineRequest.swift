import Bytes
import CGPIOD
import CLinux
import LinuxIO
import Sensing

/// A GPIO line that is ours: an input whose edges the kernel reports.
@safe struct GPIOLineRequest: ~Copyable {
  private static let consumer: StaticString = "homeward"

  /// Where the kernel's events are read from, without blocking.
  let events: Descriptor
  private let line: OpaquePointer
  /// Goes after `deinit`, when the line has been released.
  private let place: GPIOLinePlace

  /// The layout of what `events` brings.
  static var eventFormat: LineEventFormat {
    cgpiod_event_version() == 1 ? .version1 : .version2
  }

  /// Asks the kernel for a line.
  ///
  /// - Throws: EBUSY where another program has it; ENXIO or ENODEV where its chip cannot report
  ///   edges; EINVAL and others as the chip's driver likes.
  init(
    _ place: consuming GPIOLinePlace, isActiveLow: Bool, bias: GPIOBias
  ) throws(Errno) {
    let requested = unsafe cgpiod_line_request(
      place.chip.pointer, place.offset, isActiveLow, bias.shimValue, Self.consumerCString)
    guard let requested = unsafe requested else { throw Errno(code: clinux_errno()) }
    let events = unsafe cgpiod_line_events(requested)
    guard events >= 0 else {
      let error = Errno(code: clinux_errno())
      unsafe cgpiod_line_release(requested)
      throw error
    }
    self.events = Descriptor(owning: events)
    unsafe line = requested
    self.place = place
  }

  deinit { unsafe cgpiod_line_release(line) }

  /// Asks the kernel for the level of now.
  func level() throws(Errno) -> Level {
    switch unsafe cgpiod_line_level(line, place.offset) {
    case 0: return .inactive
    case 1: return .active
    default: throw Errno(code: clinux_errno())
    }
  }

  @unsafe private static var consumerCString: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(consumer.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

extension GPIOBias {
  fileprivate var shimValue: cgpiod_bias {
    switch self {
    case .asIs: CGPIOD_BIAS_AS_IS
    case .pullUp: CGPIOD_BIAS_PULL_UP
    case .pullDown: CGPIOD_BIAS_PULL_DOWN
    case .disabled: CGPIOD_BIAS_DISABLED
    }
  }
}
