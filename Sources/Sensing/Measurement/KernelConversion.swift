public import Bytes

/// The conversion of a channel file to a number in the quantity's unit: (number + offset) × scale,
/// corrected for the part, the unit and the shunt resistor.
public struct KernelConversion: Sendable {
  public enum Answer: Equatable, Sendable {
    case number(FixedPoint)
    /// The converter is at the end of its range: the true value lies beyond.
    case saturated(FixedPoint)
    /// No part can measure this number.
    case implausible(FixedPoint, PlausibleRange)
    /// The text, which is not a number, or stands for one that is too large.
    case flaw(InlineText)
  }

  /// The shunt resistor of a current measurement, in any unit, the same for both.
  public struct Shunt: Equatable, Sendable {
    /// Resistance that the kernel assumes.
    public let assumed: FixedPoint
    /// Resistance on the board.
    public let real: FixedPoint

    public init(assumed: FixedPoint, real: FixedPoint) {
      self.assumed = assumed
      self.real = real
    }
  }

  /// Nil for a number without a known meaning.
  private let quantity: Quantity?
  private let offset: FixedPoint
  private let scale: LongDecimal
  private let shunt: Shunt?
  private let quirk: PartQuirk?
  /// Quirk that applies if the number is implausible without it.
  private let fallback: PartQuirk?
  private let isRaw: Bool
  private let range: PlausibleRange?

  /// Converts a number that the driver gives in the units of the documentation.
  public init(_ quantity: Quantity, of part: KernelPart, quirk: PartQuirk?, shunt: Shunt? = nil) {
    self.init(
      quantity, of: part, quirk, isRaw: false, offset: FixedPoint(0),
      scale: LongDecimal(FixedPoint(1)), shunt)
  }

  /// Converts a raw number; nil if its meaning is unknown. `offset` and `scale` are nil if the
  /// driver does not give them.
  public init?(
    raw quantity: Quantity, of part: KernelPart, quirk: PartQuirk?, offset: FixedPoint?,
    scale: LongDecimal?, shunt: Shunt? = nil
  ) {
    let quirk = quirk?.isForImplausible == true ? nil : quirk
    guard let scale = scale ?? Self.scale(of: quantity, quirk) else { return nil }
    let isOverridden = quirk?.isCertain == true && quirk?.offset != nil
    let known = isOverridden ? quirk?.offset : offset ?? quirk?.offset
    self.init(
      quantity, of: part, quirk, isRaw: true, offset: known ?? FixedPoint(0), scale: scale, shunt)
  }

  /// Conversion of a raw number whose meaning the user configures.
  public static var meaningless: KernelConversion { KernelConversion() }

  private init(
    _ quantity: Quantity, of part: KernelPart, _ quirk: PartQuirk?, isRaw: Bool,
    offset: FixedPoint, scale: LongDecimal, _ shunt: Shunt?
  ) {
    self.quantity = quantity
    let isFallback = quirk?.isForImplausible == true
    self.quirk = isFallback ? nil : quirk
    fallback = isFallback ? quirk : nil
    self.isRaw = isRaw
    self.offset = offset
    self.scale = scale
    self.shunt = shunt
    range = (quantity.unit ?? quantity.deviceClass).flatMap { part.range(of: $0) }
  }

  private init() {
    (quantity, quirk, fallback, shunt, range) = (nil, nil, nil, nil, nil)
    (isRaw, offset, scale) = (true, FixedPoint(0), LongDecimal(FixedPoint(1)))
  }

  /// Returns the scale for a driver without one: a number without a unit stays as it is.
  private static func scale(of quantity: Quantity, _ quirk: PartQuirk?) -> LongDecimal? {
    quantity.hasMeaning && quirk?.factor == nil ? nil : LongDecimal(FixedPoint(1))
  }

  public func answer(_ text: Span<UInt8>) -> Answer {
    guard let number = KernelText.decimal(text) else { return .flaw(InlineText(text.trimmed())) }
    if isRaw, quirk?.isEnd(number) == true { return .saturated(number) }
    guard let value = value(of: number, factor: quirk?.factor) else {
      return .flaw(InlineText(text.trimmed()))
    }
    guard let range, !range.contains(value) else { return .number(value) }
    let other = fallback.flatMap { fallback in
      number.plus(fallback.offset ?? FixedPoint(0))
        .flatMap { self.value(of: $0, factor: fallback.factor) }
    }
    if let other, range.contains(other) { return .number(other) }
    return .implausible(value, range)
  }

  /// Returns the value of a number; nil if it is too large.
  private func value(of number: FixedPoint, factor: FixedPoint?) -> FixedPoint? {
    let scaled = number.plus(offset).flatMap { scale.product(with: $0) }
    guard let quantity else { return scaled }
    let value = scaled?.times(factor ?? FixedPoint(1)).flatMap(quantity.inUnit)
    guard let shunt else { return value }
    return value?.times(shunt.assumed, over: shunt.real)
  }
}

/// Filter of the value that a part of 1-Wire has from power-up to its first measurement.
public struct PowerUpFilter: Sendable {
  static let millidegrees: Int64 = 85_000
  /// Maximum distance from the last temperature at which the power-up value is believed.
  static let nearMillidegrees: Int64 = 5000
  public static let words = InlineText("85 degrees, its value at power-up")

  /// Last accepted temperature.
  private var known: Int64?

  public init() {}

  /// Returns whether a temperature in the range of the part is a measurement.
  public mutating func accepts(_ number: Int64) -> Bool {
    let isNear = known.map { abs($0 - number) <= Self.nearMillidegrees } ?? false
    guard number != Self.millidegrees || isNear else { return false }
    known = number
    return true
  }
}
