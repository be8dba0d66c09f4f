import Bytes

/// Filter of the kernel's answers that accepts temperatures.
public struct OneWireFilter: Sendable {
  /// Range that parts of its family can measure. A part with too little power reports 127.937 °C.
  private let range: PlausibleRange?
  private var powerUp = PowerUpFilter()

  public init(of part: KernelPart) { range = part.range(of: "°C") }

  /// Judges the text of the file, in thousandths of a degree.
  public mutating func answered(_ text: Span<UInt8>) -> KernelConversion.Answer {
    let text = text.trimmed()
    // The kernel reports a bad checksum, and a part that is gone or busy, with an empty text.
    if text.isEmpty { return .flaw(InlineText("nothing: missing, busy or a bad checksum")) }
    guard let number = KernelText.integer(text) else { return .flaw(InlineText(text)) }
    let celsius = FixedPoint(number, decimals: 3)
    if let range, !range.contains(celsius) { return .implausible(celsius, range) }
    guard powerUp.accepts(number) else { return .flaw(PowerUpFilter.words) }
    return .number(celsius)
  }
}
