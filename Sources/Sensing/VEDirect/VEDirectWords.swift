import Bytes

/// The words for the numbers, or the bits, of a device.
enum VEDirectWords: Sendable {
  /// Bits of `AR` and `WARN`.
  case alarms
  /// Bits of `OR`.
  case offReasons
  /// Values of `CS`.
  case chargeStates
  /// Values of `MPPT`.
  case trackers
  /// Values of `MODE`.
  case modes
  /// Values of `MON`.
  case monitors
  /// Values of `ERR`.
  case errors

  /// Returns the word of a number; `code 42` for an unknown one.
  func word(of code: Int64) -> InlineText {
    var place = 0
    while let entry = nextEntry(at: &place) {
      if entry.code == code { return InlineText(table.bytes.extracting(entry.word)) }
    }
    var text = ShortText()
    text.append("code ")
    text.append(decimal: code)
    return text.inline
  }

  /// Returns the words of all bits that are set, or `none`. Unknown bits appear as a number, and a
  /// `+` at the end stands for words that do not fit.
  func words(ofBits bits: Int64) -> InlineText {
    if bits == 0 { return InlineText("none") }
    var text = ShortText()
    var rest = bits
    var place = 0
    while let entry = nextEntry(at: &place) {
      guard bits & entry.code != 0 else { continue }
      rest &= ~entry.code
      text.separate()
      text.append(table.bytes.extracting(entry.word))
    }
    if rest != 0 {
      text.separate()
      text.append("code ")
      text.append(decimal: rest)
    }
    return text.inline
  }

  /// Returns the line at `place`, and moves `place` behind it; nil after the last one.
  private func nextEntry(at place: inout Int) -> (code: Int64, word: Range<Int>)? {
    let bytes = table.bytes
    guard place < bytes.count, let space = bytes.firstIndex(of: UInt8(ascii: " "), from: place),
      let code = KernelText.integer(bytes.extracting(place..<space))
    else { return nil }
    let end = bytes.firstIndex(of: UInt8(ascii: "\n"), from: space) ?? bytes.count
    place = end + 1
    return (code, space + 1..<end)
  }
}

/// A text of up to `InlineText.byteCountMax` bytes that is built without allocation.
private struct ShortText {
  private var bytes = InlineArray<47, UInt8>(repeating: 0)
  private var count = 0
  private var isFull = false

  mutating func separate() { if count > 0 { append(", ") } }

  mutating func append(_ word: StaticString) { append(word.bytes) }

  mutating func append(decimal number: Int64) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = digits.count
    var rest = number.magnitude
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if number < 0 { append("-") }
    append(digits.span.extracting(start...))
  }

  /// Appends a whole word, or a final `+` if it does not fit.
  mutating func append(_ text: Span<UInt8>) {
    guard !isFull else { return }
    guard count + text.count < bytes.count else {
      isFull = true
      bytes[count] = UInt8(ascii: "+")
      count += 1
      return
    }
    for index in text.indices { bytes[count + index] = text[index] }
    count += text.count
  }

  var inline: InlineText { InlineText(bytes.span.extracting(0..<count)) }
}

/// The tables of VE.Direct (Victron Energy, VE.Direct protocol, 3.33), and of newer devices.
extension VEDirectWords {
  /// Lines with a number, a space and its word.
  private var table: StaticString {
    switch self {
    case .alarms:
      """
      1 low voltage
      2 high voltage
      4 low charge
      8 low starter voltage
      16 high starter voltage
      32 cold
      64 hot
      128 midpoint
      256 overload
      512 ripple
      1024 low AC voltage
      2048 high AC voltage
      4096 short circuit
      8192 BMS lockout
      """
    case .offReasons:
      """
      1 no input
      2 switched off
      4 mode
      8 remote
      16 protection
      32 pay as you go
      64 BMS
      128 engine
      256 analysing
      """
    case .chargeStates:
      """
      0 off
      1 low power
      2 fault
      3 bulk
      4 absorption
      5 float
      6 storage
      7 equalise
      8 passing through
      9 inverting
      10 assisting
      11 supply
      244 sustain
      245 starting
      246 repeated absorption
      247 automatic equalise
      248 BatterySafe
      250 blocked
      252 external control
      """
    case .trackers:
      """
      0 off
      1 limited
      2 active
      """
    case .modes:
      """
      1 charger
      2 on
      3 on
      4 off
      5 eco
      253 hibernate
      """
    case .monitors:
      """
      -9 solar charger
      -8 wind turbine
      -7 shaft generator
      -6 alternator
      -5 fuel cell
      -4 water generator
      -3 DC-DC charger
      -2 AC charger
      -1 source
      0 battery
      1 load
      2 electric drive
      3 fridge
      4 water pump
      5 bilge pump
      6 DC system
      7 inverter
      8 water heater
      """
    case .errors:
      """
      0 none
      1 battery too hot
      2 battery voltage too high
      3 battery temperature sensor
      4 battery temperature sensor
      5 battery temperature sensor lost
      6 battery voltage sense
      7 battery voltage sense
      8 battery voltage sense lost
      9 losses in the battery cables
      10 battery voltage too low
      11 battery ripple too high
      12 battery charge too low
      13 battery midpoint
      14 battery too cold
      17 charger too hot
      18 charger current too high
      19 charger current reversed
      20 bulk time exceeded
      21 current sensor
      22 charger temperature sensor
      23 charger temperature sensor lost
      24 fan missing
      25 fan current too high
      26 terminals too hot
      27 charger short circuit
      28 converter
      29 overcharge protection
      31 input voltage out of range
      32 input voltage too low
      33 panel voltage too high
      34 panel current too high
      35 panel power too high
      36 input reversed
      37 input missing
      38 input off, battery voltage too high
      39 input off, current while off
      40 input cannot be switched off
      41 panel insulation
      42 ground current
      43 ground relay
      50 inverter overload
      51 inverter too hot
      52 inverter current too high
      53 inverter DC level
      54 inverter AC level
      55 DC on the inverter output
      56 inverter AC shape
      57 AC on the inverter output
      58 inverter bridge
      59 relay of input 1
      60 relay of input 2
      65 lost a device
      66 synchronised charging
      67 lost the BMS
      68 network misconfigured
      80 PV input shutdown
      81 PV input shutdown
      82 PV input shutdown
      83 PV input shutdown
      84 PV input shutdown
      85 PV input shutdown
      86 PV input shutdown
      87 PV input shutdown
      113 memory cannot be written
      114 processor too hot
      115 communication lost
      116 calibration lost
      117 wrong firmware
      118 wrong hardware
      119 settings invalid
      120 reference voltage
      121 tester
      122 history invalid
      200 internal voltage
      201 internal converter
      202 residual current sensor
      203 internal voltage
      205 internal voltage
      212 internal voltage
      215 internal voltage
      """
    }
  }
}
