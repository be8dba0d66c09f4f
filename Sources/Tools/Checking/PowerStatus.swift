import Board
import Bytes
import LinuxIO

/// Power supply as the firmware of a Raspberry Pi reports it: the alarm of the hardware monitor
/// `rpi_volt`, or the bits of `get_throttled` if the kernel has no alarm. Newer kernels log a
/// complaint about each program that reads the bits.
struct PowerStatus {
  /// Bits of Raspberry Pi's `vcgencmd get_throttled`: undervoltage, a lower clock, throttled, the
  /// soft limit of the temperature. Bits 0 to 3 are now, 16 to 19 since they were last cleared.
  private var bits: UInt64?
  private var isAlarm: Bool?

  private static let undervoltage: UInt64 = 1 << 0
  private static let throttled: UInt64 = 1 << 2
  private static let before: UInt64 = 16

  /// Reads the available values; both are nil on other boards.
  init(sys: Path) {
    let platform = sys / "devices" / "platform"
    Self.eachName(in: sys / "class" / "hwmon", startingWith: "hwmon") { monitor in
      guard let name = Self.text(monitor / "name"), name.span.elementsEqual("rpi_volt"),
        let alarm = Self.text(monitor / "in0_lcrit_alarm")
      else { return }
      isAlarm = !alarm.span.elementsEqual("0")
    }
    if isAlarm == nil {
      // On the Pi 5 the names contain an address.
      Self.eachName(in: platform, startingWith: "soc") { soc in
        Self.eachName(in: soc, startingWith: "soc") { firmware in
          // The kernel writes the digits without `0x`.
          guard let text = Self.text(firmware / "get_throttled"), (1...8).contains(text.count)
          else { return }
          bits = bits ?? UInt64(hexadecimal: text.span)
        }
      }
    }
  }

  /// Finding about the supply; nil on a board that does not report it.
  var finding: Finding? {
    guard bits != nil || isAlarm != nil else { return nil }
    let bits = bits ?? 0
    let before = bits >> Self.before
    let remedy: MessageText =
      "use a power supply made for this board, with a short and thick cable; power its USB devices"
      + " separately"
    if isAlarm == true || bits & Self.undervoltage != 0 {
      return .wrong(
        "power", "undervoltage", .board, .osError, "The supply voltage is too low now",
        remedy: remedy)
    }
    if before & Self.undervoltage != 0 {
      return .note(
        "power",
        "The supply voltage has been too low at least once since the last start; this damages"
          + " SD cards",
        remedy: remedy)
    }
    if bits & Self.throttled != 0 {
      return .note(
        "power", "The processor is throttled: it is too hot",
        remedy: "improve its airflow, or add a heat sink")
    }
    let heat: StaticString =
      before & Self.throttled != 0 ? "; the processor was throttled by heat earlier" : ""
    return .well("power", "The supply voltage is good\(heat)")
  }

  private static func eachName(
    in folder: Path, startingWith start: StaticString, _ body: (Path) -> Void
  ) {
    // A kernel without the folder has no such entries.
    try? DirectoryReader(opening: folder).forEachName { name in
      if name.starts(with: start) { body(folder / [UInt8](name)) }
    }
  }

  private static func text(_ file: Path) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: 32)
    do throws(Errno) { try readBeginning(ofFileAt: file, into: &buffer) } catch { return nil }
    return [UInt8](buffer.bytes.trimmed())
  }
}
