import Bytes

/// What one number, or one bit, of a device stands for.
struct VEDirectWord: Sendable {
  let code: Int64
  let word: StaticString

  init(_ code: Int64, _ word: StaticString) {
    self.code = code
    self.word = word
  }
}

extension [VEDirectWord] {
  /// The word of a number; one that is not known is shown as it is, such as `code 42`.
  func word(of code: Int64) -> InlineText {
    for word in self where word.code == code { return InlineText(word.word) }
    var text = ShortText()
    text.append("code ")
    text.append(decimal: code)
    return text.inline
  }

  /// The words of all bits that are set, `none` without any. What is not known is shown as a
  /// number, and what does not fit as a `+` at the end.
  func words(ofBits bits: Int64) -> InlineText {
    if bits == 0 { return InlineText("none") }
    var text = ShortText()
    var rest = bits
    for word in self where bits & word.code != 0 {
      rest &= ~word.code
      text.separate()
      text.append(word.word)
    }
    if rest != 0 {
      text.separate()
      text.append("code ")
      text.append(decimal: rest)
    }
    return text.inline
  }
}

/// A text of up to `InlineText.byteCountMax` bytes that is put together without allocating.
private struct ShortText {
  private var bytes = InlineArray<47, UInt8>(repeating: 0)
  private var count = 0
  private var isFull = false

  mutating func separate() { if count > 0 { append(", ") } }

  /// Appends a word whole, or a `+` where it does not fit, and nothing after that.
  mutating func append(_ word: StaticString) {
    let text = unsafe UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    unsafe append(text.span)
  }

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

  private mutating func append(_ text: Span<UInt8>) {
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

/// What the numbers of VE.Direct stand for (Victron Energy, VE.Direct protocol, 3.33).
enum VEDirectWords {
  static let alarms = [
    VEDirectWord(1, "low voltage"), VEDirectWord(2, "high voltage"), VEDirectWord(4, "low charge"),
    VEDirectWord(8, "low starter voltage"), VEDirectWord(16, "high starter voltage"),
    VEDirectWord(32, "cold"), VEDirectWord(64, "hot"), VEDirectWord(128, "midpoint"),
    VEDirectWord(256, "overload"), VEDirectWord(512, "ripple"),
    VEDirectWord(1024, "low AC voltage"),
    VEDirectWord(2048, "high AC voltage"),
  ]

  static let offReasons = [
    VEDirectWord(0x1, "no input"), VEDirectWord(0x2, "switched off"), VEDirectWord(0x4, "mode"),
    VEDirectWord(0x8, "remote"), VEDirectWord(0x10, "protection"),
    VEDirectWord(0x20, "pay as you go"),
    VEDirectWord(0x40, "BMS"), VEDirectWord(0x80, "engine"), VEDirectWord(0x100, "analysing"),
  ]

  static let chargeStates = [
    VEDirectWord(0, "off"), VEDirectWord(1, "low power"), VEDirectWord(2, "fault"),
    VEDirectWord(3, "bulk"), VEDirectWord(4, "absorption"), VEDirectWord(5, "float"),
    VEDirectWord(6, "storage"), VEDirectWord(7, "equalise"), VEDirectWord(9, "inverting"),
    VEDirectWord(11, "supply"), VEDirectWord(245, "starting"),
    VEDirectWord(246, "repeated absorption"), VEDirectWord(247, "automatic equalise"),
    VEDirectWord(248, "BatterySafe"), VEDirectWord(252, "external control"),
  ]

  static let trackers = [
    VEDirectWord(0, "off"), VEDirectWord(1, "limited"), VEDirectWord(2, "active"),
  ]

  static let modes = [VEDirectWord(2, "on"), VEDirectWord(4, "off"), VEDirectWord(5, "eco")]

  static let monitors = [
    VEDirectWord(-9, "solar charger"), VEDirectWord(-8, "wind turbine"),
    VEDirectWord(-7, "shaft generator"), VEDirectWord(-6, "alternator"),
    VEDirectWord(-5, "fuel cell"), VEDirectWord(-4, "water generator"),
    VEDirectWord(-3, "DC-DC charger"), VEDirectWord(-2, "AC charger"), VEDirectWord(-1, "source"),
    VEDirectWord(0, "battery"), VEDirectWord(1, "load"), VEDirectWord(2, "electric drive"),
    VEDirectWord(3, "fridge"), VEDirectWord(4, "water pump"), VEDirectWord(5, "bilge pump"),
    VEDirectWord(6, "DC system"), VEDirectWord(7, "inverter"), VEDirectWord(8, "water heater"),
  ]

  static let errors = [
    VEDirectWord(0, "none"), VEDirectWord(2, "battery voltage too high"),
    VEDirectWord(17, "charger too hot"), VEDirectWord(18, "charger current too high"),
    VEDirectWord(19, "charger current reversed"), VEDirectWord(20, "bulk time exceeded"),
    VEDirectWord(21, "current sensor"), VEDirectWord(26, "terminals too hot"),
    VEDirectWord(28, "converter"), VEDirectWord(33, "panel voltage too high"),
    VEDirectWord(34, "panel current too high"),
    VEDirectWord(38, "input off, battery voltage too high"),
    VEDirectWord(39, "input off, current while off"), VEDirectWord(65, "lost a device"),
    VEDirectWord(66, "synchronised charging"), VEDirectWord(67, "lost the BMS"),
    VEDirectWord(68, "network misconfigured"), VEDirectWord(116, "calibration lost"),
    VEDirectWord(117, "wrong firmware"), VEDirectWord(119, "settings invalid"),
  ]
}
