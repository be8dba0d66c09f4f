import CMicroHTTPD

/// The few habits of Python that show on the wire: how it prints values and what it reads as a
/// number. Clients meet them as "True", "None" and truncated fractions.
enum Python {
  /// `str(value)` of a scalar.
  static func str(_ value: JSON) -> String {
    switch value {
    case .null: "None"
    case .bool(let value): value ? "True" : "False"
    case .float(let value): repr(value)
    case .string(let text): text
    case .integer, .array, .object: value.text
    }
  }

  /// The shortest text that reads back as the same float, laid out as Python does.
  static func repr(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    let (sign, digits, exponent) = decimal(of: "\(value)")
    return layOut(sign: sign, digits: digits, exponent: exponent, scientificFrom: 16)
  }

  /// `f"{value:.15}"`: how a float becomes the state of an entity.
  static func state(_ value: Double) -> String {
    guard value.isFinite else { return repr(value) }
    let (sign, digits, exponent) = decimal(
      of: unsafe printed { unsafe practice_print_scientific($0, $1, 14, value) })
    return layOut(sign: sign, digits: digits, exponent: exponent, scientificFrom: 14)
  }

  /// The exact value rounded to so many decimals, as the C library does it.
  static func fixed(_ value: Double, decimals: Int) -> String {
    unsafe printed { unsafe practice_print_fixed($0, $1, Int32(decimals), value) }
  }

  private static func printed(_ print: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 400)
    let count = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe print($0, buffer.count) } ?? 0
    }
    return String(decoding: buffer.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Splits a printed float into its digits d1 d2 d3 … and the power of ten of d1.
  private static func decimal(of text: String) -> (sign: String, digits: String, exponent: Int) {
    let sign = text.hasPrefix("-") ? "-" : ""
    let parts = text.dropFirst(sign.count).split(separator: "e")
    let mantissa = parts.first ?? "0"
    let pieces = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    let whole = pieces.first ?? "0"
    let all = String(whole) + (pieces.count > 1 ? String(pieces[1]) : "")
    let leadingZeros = all.prefix { $0 == "0" }.count
    let exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + whole.count - 1 - leadingZeros
    var digits = String(all.dropFirst(leadingZeros))
    while digits.hasSuffix("0") { digits.removeLast() }
    return digits.isEmpty ? (sign, "0", 0) : (sign, digits, exponent)
  }

  private static func layOut(
    sign: String, digits: String, exponent: Int, scientificFrom limit: Int
  ) -> String {
    if exponent < -4 || exponent >= limit {
      let rest = digits.dropFirst()
      let power = (exponent < 0 ? "-" : "+") + abs(exponent).padded(to: 2)
      return sign + digits.prefix(1) + (rest.isEmpty ? "" : "." + rest) + "e" + power
    }
    if exponent < 0 {
      return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits
    }
    let padded = digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
    let fraction = padded.dropFirst(exponent + 1)
    return sign + padded.prefix(exponent + 1) + "." + (fraction.isEmpty ? "0" : fraction)
  }
}

// MARK: Reading numbers

extension Python {
  /// `bool(value)`.
  static func isTrue(_ value: JSON) -> Bool {
    switch value {
    case .null: false
    case .bool(let value): value
    case .integer(let value): value != 0
    case .float(let value): value != 0
    case .string(let text): !text.isEmpty
    case .array(let values): !values.isEmpty
    case .object(let object): !object.isEmpty
    }
  }

  /// `int(value)`, or nil where Python raises.
  static func int(_ value: JSON) -> Int128? {
    switch value {
    case .bool(let value): value ? 1 : 0
    case .integer(let value): value
    case .float(let value): truncated(value)
    case .string(let text): int(text)
    default: nil
    }
  }

  /// Python's integers have no end; what is beyond 128 bits is oversized anyway.
  private static func truncated(_ value: Double) -> Int128? {
    guard value.isFinite else { return nil }
    return Int128(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }

  static func int(_ text: String) -> Int128? {
    let digits = plainDigits(text)
    if let value = Int128(digits) { return value }
    let magnitude =
      digits.hasPrefix("-") || digits.hasPrefix("+") ? digits.dropFirst() : digits[...]
    guard !magnitude.isEmpty, magnitude.allSatisfy({ "0123456789".contains($0) }) else {
      return nil
    }
    return digits.hasPrefix("-") ? .min : .max
  }

  /// `float(value)`, or nil where Python raises.
  static func float(_ value: JSON) -> Double? {
    switch value {
    case .bool(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .float(let value): value
    case .string(let text): float(text)
    default: nil
    }
  }

  static func float(_ text: String) -> Double? {
    let number = plainDigits(text).lowercased()
    let magnitude =
      number.hasPrefix("-") || number.hasPrefix("+") ? number.dropFirst() : number[...]
    switch magnitude {
    case "nan": return .nan
    case "inf", "infinity": return number.hasPrefix("-") ? -.infinity : .infinity
    default:
      // What is left is what strtod reads, once words and hexadecimal are out of the way.
      guard magnitude.allSatisfy({ "0123456789.e+-".contains($0) }) else { return nil }
      return Double(number)
    }
  }

  /// Trims white space, drops single underscores between digits, and turns the digits of other
  /// scripts into ours, as `int()` and `float()` do.
  private static func plainDigits(_ text: String) -> String {
    var output = ""
    let scalars = Array(text.trimmed.unicodeScalars)
    let isDigit = { (index: Int) in
      scalars.indices.contains(index) && scalars[index].properties.generalCategory == .decimalNumber
    }
    for (index, scalar) in scalars.enumerated() {
      if scalar == "_", isDigit(index - 1), isDigit(index + 1) { continue }
      if isDigit(index), let value = scalar.properties.numericValue {
        output += String(Int(value))
      } else {
        output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}
