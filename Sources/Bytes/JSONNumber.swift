/// JSON number (RFC 8259), stored exactly: 1, 1.0 and 1e0 stay different, and neither a large
/// integer nor a long fraction loses a digit.
///
/// Two numbers are equal if their texts are equal. To compare by value, compare `double`.
public struct JSONNumber: Hashable, Sendable {
  private enum Storage: Hashable {
    /// Number in the form in which `Int64` writes it, as nearly all numbers are. No allocation.
    case integer(Int64)
    /// Any other form.
    case literal(Text)
  }

  private let storage: Storage

  /// Creates a whole number.
  public init(_ integer: Int64) { storage = .integer(integer) }

  /// Creates the shortest number that reads back as `double`; nil if it is infinite or NaN, which
  /// JSON cannot express.
  public init?(_ double: Double) {
    guard double.isFinite else { return nil }
    storage = .literal(Text(double.description))
  }

  /// Reads `text`; nil if it is not a number.
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

  /// Creates a number from a text that a `JSONReader` has checked.
  init(checked text: Span<UInt8>) {
    if let integer = Self.integer(of: text), Self.isShortest(text) {
      storage = .integer(integer)
    } else {
      storage = .literal(Text(text))
    }
  }

  /// Value as an integer; nil if the number has a fraction or an exponent (even 1.0), or does not
  /// fit.
  public var integer: Int64? {
    switch storage {
    case .integer(let integer): integer
    case .literal(let text): Self.integer(of: text.bytes.span)
    }
  }

  /// Nearest `Double`, ties to even. A number that is too large is infinite and one that is too
  /// small is zero, with its sign, as in Home Assistant's own reader.
  public var double: Double {
    switch storage {
    case .integer(let integer): Double(integer)
    case .literal(let text): DecimalNumber(text.bytes.span).double
    }
  }

  /// Returns the number times 10^`exponent`, rounded to a whole number, halves away from zero; nil
  /// if it does not fit.
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

  /// Whether an integer has the form in which `Int64` writes it, that is, it is not -0.
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
  /// Appends a number exactly as written.
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
