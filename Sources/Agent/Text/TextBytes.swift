// Text as bytes: what the configuration's reading asks of `[UInt8]` and of literals.
//
// Hundreds of places say something about text. Inlined there, the functions marked "never" would
// double the size of the shipped binary.

extension [UInt8] {
  /// The UTF-8 of a literal.
  @inline(never)
  init(literal text: StaticString) {
    unsafe self.init(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  init(decimal number: Int64) {
    var digits: [UInt8] = []
    var rest = number.magnitude
    repeat {
      digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    if number < 0 { digits.append(UInt8(ascii: "-")) }
    self = digits.reversed()
  }

  @inline(never)
  func isEqual(to text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && isBegun(with: text)
  }

  @inline(never)
  func isBegun(with text: StaticString) -> Bool {
    let prefix = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return unsafe starts(with: prefix)
  }

  /// The characters of valid UTF-8; what is not valid becomes U+FFFD.
  var unicodeScalars: [Unicode.Scalar] {
    var scalars: [Unicode.Scalar] = []
    var parser = Unicode.UTF8.ForwardParser()
    var rest = makeIterator()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded): scalars.append(Unicode.UTF8.decode(encoded))
      case .error: scalars.append("\u{FFFD}")
      case .emptyInput: return scalars
      }
    }
  }

  /// The text with a `?` for every character that a terminal could obey.
  var printable: [UInt8] {
    var result: [UInt8] = []
    for scalar in unicodeScalars {
      guard !scalar.isInvisibleControl, let encoded = Unicode.UTF8.encode(scalar) else {
        result.append(UInt8(ascii: "?"))
        continue
      }
      result += encoded
    }
    return result
  }

  /// ASCII letters in lower case, everything else as it is.
  var lowercasedASCII: [UInt8] {
    var result = self
    for index in result.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= result[index] {
      result[index] |= 0x20
    }
    return result
  }

  /// The value of plain decimal digits; nil for anything else, and when it does not fit.
  var decimalValue: Int64? {
    guard !isEmpty else { return nil }
    var value: Int64 = 0
    for byte in self {
      guard byte.isDecimalDigit else { return nil }
      let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflows) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      guard !productOverflows, !sumOverflows else { return nil }
      value = sum
    }
    return value
  }
}

extension UInt8 {
  var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= self }
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= self | 0x20 }
  var isHexadecimalDigit: Bool {
    isDecimalDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")) ~= self | 0x20
  }
}

extension Unicode.Scalar {
  /// Control characters, line separators, and the marks that turn the direction of writing: in a
  /// name nobody wants them, and in a message they could hide what it says.
  var isInvisibleControl: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
