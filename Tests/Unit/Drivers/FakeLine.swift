import Bytes
import FakeGPIO
import LinuxIO
import Testing

/// A line of a chip that only the tests see; its events are bytes in a pipe.
@safe final class FakeLine {
  private let chip: OpaquePointer
  private var sequence: UInt32 = 0

  init(_ path: Path, label: String = "pinctrl-fake", name: String = "GPIO17") {
    unsafe chip = path.withCString { unsafe fakegpio_add($0, label, name, 17) }
  }

  deinit { unsafe fakegpio_remove(chip) }

  var level = false { didSet { unsafe fakegpio_set_level(chip, level ? 1 : 0) } }
  func refuse(_ error: Int32) { unsafe fakegpio_set_refusal(chip, error) }
  func refuseToOpen(_ error: Int32) { unsafe fakegpio_set_open_error(chip, error) }
  func refuseToTell(_ error: Int32) { unsafe fakegpio_set_info_error(chip, error) }
  func hold(as name: String) { unsafe fakegpio_set_holder(chip, name) }
  func refuseDebounce() { unsafe fakegpio_refuse_debounce(chip) }
  func short() { unsafe fakegpio_short(chip) }
  func isSecondNode(of other: FakeLine) { unsafe fakegpio_share_number(chip, other.chip) }
  func hangUp() { unsafe fakegpio_hang_up(chip) }

  /// Puts an edge to `level` into the queue that happens at `instant`.
  func edge(to level: Bool, at instant: Instant) {
    self.level = level
    event(id: level ? 1 : 2, at: instant)
  }

  func event(id: UInt32, at instant: Instant) {
    sequence &+= 1
    var bytes = [UInt8](repeating: 0, count: 48)
    func put(_ number: some FixedWidthInteger, at offset: Int) {
      for index in 0..<number.bitWidth / 8 {
        bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (index * 8))
      }
    }
    put(instant.nanoseconds, at: 0)
    put(id, at: 8)
    put(sequence, at: 20)
    #expect(unsafe fakegpio_write(chip, bytes, bytes.count) == 1)
  }

  func halfAnEvent() { #expect(unsafe fakegpio_write(chip, [1, 2, 3] as [UInt8], 3) == 1) }

  /// The kernel had no room for so many edges.
  func loseEdges(_ count: UInt32) { sequence &+= count }

  var unreadByteCount: Int { Int(unsafe fakegpio_unread(chip)) }

  /// What a program made of its output, or what was set.
  var outputLevel: Bool { unsafe fakegpio_level(chip) == 1 }

  // What the last request asked for.
  var flags: UInt64 { unsafe fakegpio_flags(chip) }
  var debounceMicroseconds: UInt32 { unsafe fakegpio_debounce_microseconds(chip) }
  var eventCountMax: UInt32 { unsafe fakegpio_event_count_max(chip) }
}

/// A flag of `linux/gpio.h`, in the bits of a request.
func flag(_ flag: gpio_v2_line_flag) -> UInt64 { UInt64(flag.rawValue) }
