/// A number as JSON writes it (RFC 8259), kept exactly: 1, 1.0 and 1e0 stay apart, and neither a
/// large integer nor a long fraction loses a digit on its way through.
///
/// Two numbers are equal where they are written alike. To compare by value, compare `double`.
public struct JSONNumber: Hashable, Sendable {
  private enum Storage: Hashable {
    /// Written as `Int64` writes itself, which nearly all numbers are. Needs no allocation.
    case integer(Int64)
    /// Any other form.
    case literal(Text)
  }

  private let storage: Storage

  /// A whole number.
  public init(_ integer: Int64) { storage = .integer(integer) }

  /// The shortest number that reads back as `double`, or nil where it is infinite or no number:
  /// JSON has no word for those.
  public init?(_ double: Double) {
    guard double.isFinite else { return nil }
    storage = .literal(Text(double.description))
  }

  /// The number that `text` is, or nil where it is none.
  public init?(_ text: Span<UInt8>) {
    var reader = JSONReader(text)
    do throws(JSONError) {
      let number = try reader.number()
      guard number.count == text.count else { return nil }
      self.init(checked: number)
    } catch {
      return nil
    }
  }

  /// A number that a `JSONReader` has checked.
  init(checked text: Span<UInt8>) {
    if let integer = Self.integer(of: text), Self.isShortest(text) {
      storage = .integer(integer)
    } else {
      storage = .literal(Text(text))
    }
  }

  /// The whole number, or nil where the number has a fraction or an exponent (be it 1.0), or does
  /// not fit.
  public var integer: Int64? {
    switch storage {
    case .integer(let integer): integer
    case .literal(let text): Self.integer(of: text.bytes.span)
    }
  }

  /// The nearest `Double`, ties to even. A number too large is infinite and one too small is zero,
  /// with its sign, as Home Assistant's own reader has it.
  public var double: Double {
    switch storage {
    case .integer(let integer): Double(integer)
    case .literal(let text): DecimalNumber(text.bytes.span).double
    }
  }

  /// The number times 10^`exponent`, to the nearest whole number, halves away from zero; nil where
  /// that does not fit.
  public func scaled(byPowerOfTen exponent: Int64) -> Int64? {
    switch storage {
    case .integer(let integer): integer.scaled(byPowerOfTen: exponent)
    case .literal(let text): text.bytes.span.scaledNumber(byPowerOfTen: exponent)
    }
  }

  private static func integer(of text: Span<UInt8>) -> Int64? {
    var reader = JSONReader(text)
    do throws(JSONError) { return try reader.integer() } catch { return nil }
  }

  /// Whether an integer is written the only way `Int64` writes it: it is not -0.
  private static func isShortest(_ text: Span<UInt8>) -> Bool { !text.elementsEqual("-0") }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  public init(integerLiteral literal: Int64) { self.init(literal) }

  public init(floatLiteral literal: Double) {
    guard let number = JSONNumber(literal) else { preconditionFailure("a literal is finite") }
    self = number
  }
}

extension ByteBuffer {
  /// Appends a number exactly as it was written.
  public mutating func appendJSON(_ number: JSONNumber) { number.append(to: &self) }
}

extension JSONNumber {
  fileprivate func append(to buffer: inout ByteBuffer) {
    switch storage {
    case .integer(let integer): buffer.appendJSON(integer)
    case .literal(let text): buffer.appendJSON(checkedNumber: text.bytes.span)
    }
  }
}
