public import Bytes

/// How the text of a file of a channel becomes a number in the quantity's unit:
/// (number + offset) × scale, then the unit, then the resistor.
public struct KernelConversion: Sendable {
  public enum Answer: Equatable, Sendable {
    case number(FixedPoint)
    /// The converter is at the end of its range: the truth lies beyond.
    case saturated(FixedPoint)
    /// It is no number, or one that is too large.
    case flaw
  }

  /// The resistor that a current flows through, in any unit, the same for both.
  public struct Shunt: Equatable, Sendable {
    /// What the kernel computes with.
    public let assumed: FixedPoint
    /// What is on the board.
    public let real: FixedPoint

    public init(assumed: FixedPoint, real: FixedPoint) {
      self.assumed = assumed
      self.real = real
    }
  }

  private let quantity: Quantity
  private let offset: FixedPoint
  private let scale: FixedPoint
  private let shunt: Shunt?
  /// The numbers within which the part measures; nil where it tells by itself.
  private let limits: ClosedRange<Int64>?

  public init(
    _ quantity: Quantity, offset: FixedPoint = FixedPoint(0), scale: FixedPoint = FixedPoint(1),
    shunt: Shunt? = nil, limits: ClosedRange<Int64>? = nil
  ) {
    self.quantity = quantity
    self.offset = offset
    self.scale = scale
    self.shunt = shunt
    self.limits = limits
  }

  public func answer(_ text: Span<UInt8>) -> Answer {
    guard let number = KernelText.decimal(text) else { return .flaw }
    if let limits, number.decimals == 0,
      number.coefficient <= limits.lowerBound || number.coefficient >= limits.upperBound
    {
      return .saturated(number)
    }
    guard let value = number.plus(offset)?.times(scale).flatMap(quantity.inUnit) else {
      return .flaw
    }
    guard let shunt else { return .number(value) }
    return value.times(shunt.assumed, over: shunt.real).map(Answer.number) ?? .flaw
  }
}

extension KernelConversion {
  /// At which numbers the converter called `name` on the I2C device `part` is at an end of its
  /// range. The driver `ti-ads1015` calls all of its parts `ads1015`; those of 12 bits are known by
  /// their device, and clip at other numbers.
  public static func limits(of name: Span<UInt8>, part: Span<UInt8>) -> ClosedRange<Int64>? {
    guard name.elementsEqual("ads1015") else { return nil }
    return part.elementsEqual("ads1015") || part.elementsEqual("tla2024")
      ? -2048...2047 : -32_768...32_767
  }

  /// The offset where the device has no file with one. `hx711` counts from the lowest number of its
  /// 24 bits.
  public static func offset(of name: Span<UInt8>) -> FixedPoint {
    FixedPoint(name.elementsEqual("hx711") ? -8_388_608 : 0)
  }
}
