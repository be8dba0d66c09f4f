/// Reason why a text is not the JSON that its reader expected, with the position.
public enum JSONError: Error, Equatable {
  /// The text ends inside a value.
  case truncated
  /// A byte is not allowed at this position, or the value is not of the expected kind.
  case unexpected(at: Int)
  /// More than `JSONReader.depthMax` values are nested.
  case tooDeep
  /// A text that is decoded as a whole has more than `JSON.valueCountMax` values.
  case tooLarge
  /// The requested type cannot hold the number.
  case outOfRange(at: Int)
}

/// Reads JSON (RFC 8259) in one pass over borrowed bytes, without allocating.
///
/// Each value is read or skipped before the next key or element; a value that the caller did not
/// read is skipped.
///
///     try reader.openObject()
///     while let key = try reader.nextKey() {
///       if key.elementsEqual("id") { … try reader.text() … } else { try reader.skipValue() }
///     }
///
/// After an error every later call throws that same error, even if the caller ignored it (`try?`).
/// No text and no order of calls makes the program stop.
public struct JSONReader: ~Escapable {
  /// Maximum nesting depth that `skipValue` accepts.
  public static let depthMax = 64

  private let bytes: Span<UInt8>
  /// Position of the next byte.
  public private(set) var position = 0
  private var expectation = Expectation.value
  /// Error of the first failure. `position` is then at the end: only code at the end checks it.
  private var failure: JSONError?

  /// Tokens that may come next.
  private enum Expectation {
    case value
    case firstOrEnd
    case commaOrEnd
  }

  /// Creates a reader at the beginning of `bytes`.
  @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// String as written between its quotes.
  public struct Text: ~Escapable {
    /// Bytes between the quotes, with escapes.
    public let raw: Span<UInt8>

    @_lifetime(copy raw)
    fileprivate init(raw: Span<UInt8>) { self.raw = raw }

    /// Whether the text equals a literal that needs no escapes.
    public func elementsEqual(_ literal: StaticString) -> Bool { raw.elementsEqual(literal) }
    /// Whether the text equals a text that needs no escapes.
    public func elementsEqual(_ literal: [UInt8]) -> Bool { raw.elementsEqual(literal.span) }
    /// Whether the text equals a text that needs no escapes.
    public func elementsEqual(_ literal: Span<UInt8>) -> Bool { raw.elementsEqual(literal) }

    /// Appends the text without escapes.
    public func append(to buffer: inout ByteBuffer) { appendUnescaped(raw, to: &buffer) }
  }

  /// Kind of a JSON value.
  public enum Kind: Equatable, Sendable {
    /// `{…}`
    case object
    /// `[…]`
    case array
    /// `"…"`
    case string
    /// `1`, `-1.5` or `1e3`
    case number
    /// `true` or `false`
    case boolean
    /// `null`
    case null
  }

  /// Returns the kind of the next value and consumes only white space.
  @inline(never)
  public mutating func nextKind() throws(JSONError) -> Kind {
    switch try peek() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw fail(.unexpected(at: position))
    }
  }

  /// Enters the next object; throws if the next value is not an object.
  public mutating func openObject() throws(JSONError) { try open(UInt8(ascii: "{")) }
  /// Enters the next array; throws if the next value is not an array.
  public mutating func openArray() throws(JSONError) { try open(UInt8(ascii: "[")) }

  /// Returns the key of the next member, or nil at the end of the object, which is then consumed.
  @_lifetime(copy self)
  public mutating func nextKey() throws(JSONError) -> Text? {
    guard try moveToNext(end: UInt8(ascii: "}")) else { return nil }
    let key = try text()
    try expect(UInt8(ascii: ":"))
    expectation = .value
    return key
  }

  /// Returns whether an element follows; at the end of the array, consumes it and returns false.
  public mutating func nextElement() throws(JSONError) -> Bool {
    try moveToNext(end: UInt8(ascii: "]"))
  }

  // Used for every value; inlined into each caller they would be half of the reading code.
  /// Reads the next string and checks its escapes; throws if the next value is not a string.
  @inline(never)
  @_lifetime(copy self)
  public mutating func text() throws(JSONError) -> Text {
    try expect(UInt8(ascii: "\""))
    let start = position
    while true {
      position = bytes.endOfPlainJSON(from: position)
      guard position < bytes.count else { throw fail(.truncated) }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        expectation = .commaOrEnd
        return Text(raw: bytes.extracting(start..<position - 1))
      case UInt8(ascii: "\\"): try checkEscape()
      case 0..<0x20: throw fail(.unexpected(at: position))
      default: position += 1
      }
    }
  }

  /// Reads `true` or `false`; throws if the next value is something else.
  public mutating func boolean() throws(JSONError) -> Bool {
    let isTrue = try peek() == UInt8(ascii: "t")
    try expect(isTrue ? "true" : "false")
    return isTrue
  }

  /// Reads a number of any form and returns it as written.
  @_lifetime(copy self)
  public mutating func number() throws(JSONError) -> Span<UInt8> {
    bytes.extracting(try numberRange())
  }

  /// Reads `null`; throws if the next value is something else.
  public mutating func null() throws(JSONError) {
    _ = try peek()
    try expect("null")
  }

  /// Reads a whole number; throws if it has a fraction or an exponent, or does not fit.
  public mutating func integer() throws(JSONError) -> Int64 {
    let digits = try numberRange()
    do throws(JSONError) { return try wholeNumber(in: digits) } catch { throw fail(error) }
  }

  /// Reads a number; nil if it is not a whole one or does not fit. It is consumed in any case.
  public mutating func integerIfWhole() throws(JSONError) -> Int64? {
    let digits = try numberRange()
    do throws(JSONError) { return try wholeNumber(in: digits) } catch { return nil }
  }

  private mutating func numberRange() throws(JSONError) -> Range<Int> {
    _ = try peek()
    let start = position
    try skipNumber()
    return start..<position
  }

  @inline(never)
  private func wholeNumber(in range: Range<Int>) throws(JSONError) -> Int64 {
    var number: Int64 = 0
    let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
    for index in (isNegative ? range.lowerBound + 1 : range.lowerBound)..<range.upperBound {
      guard bytes[index].isASCIIDigit else { throw .unexpected(at: index) }
      let digit = Int64(bytes[index] - UInt8(ascii: "0"))
      let (tens, multiplied) = number.multipliedReportingOverflow(by: 10)
      let (sum, added) = tens.addingReportingOverflow(isNegative ? -digit : digit)
      guard !multiplied, !added else { throw .outOfRange(at: range.lowerBound) }
      number = sum
    }
    return number
  }

  /// Skips one value of any kind and returns its position.
  @discardableResult
  public mutating func skipValue() throws(JSONError) -> Range<Int> {
    let first = try nextKind()
    let start = position
    guard first == .object || first == .array else {
      try skipScalar(first)
      return start..<position
    }
    var depth = 0
    // One bit per open value: set for an object.
    var objects: UInt64 = 0
    repeat {
      if depth > 0 {
        let isObject = objects & 1 == 1
        let hasNext = isObject ? try nextKey() != nil : try nextElement()
        if !hasNext {
          depth -= 1
          objects >>= 1
          continue
        }
      }
      let kind = try nextKind()
      if kind == .object || kind == .array {
        guard depth < Self.depthMax else { throw fail(.tooDeep) }
        try open(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
        objects = objects << 1 | (kind == .object ? 1 : 0)
        depth += 1
      } else {
        try skipScalar(kind)
      }
    } while depth > 0
    return start..<position
  }

  /// Consumes the next value and returns true if it is an object or an array written exactly like
  /// `literal`; consumes nothing otherwise.
  public mutating func skipValue(written literal: StaticString) -> Bool {
    guard expectation == .value, bytes.extracting(position...).starts(with: literal) else {
      return false
    }
    position += literal.utf8CodeUnitCount
    expectation = .commaOrEnd
    return true
  }

  /// Checks that only white space is left.
  public mutating func finish() throws(JSONError) {
    skipSpace()
    guard position == bytes.count else { throw fail(.unexpected(at: position)) }
    if let failure { throw failure }
  }

  /// Stops the reader and returns the error of the first failure.
  @inline(never)
  private mutating func fail(_ error: JSONError) -> JSONError {
    position = bytes.count
    let first = failure ?? error
    failure = first
    return first
  }

  private mutating func skipScalar(_ kind: Kind) throws(JSONError) {
    switch kind {
    case .string: _ = try text()
    case .number: try skipNumber()
    case .boolean: _ = try boolean()
    case .null, .object, .array: try expect("null")
    }
  }

  private mutating func open(_ bracket: UInt8) throws(JSONError) {
    try expect(bracket)
    expectation = .firstOrEnd
  }

  @inline(never)
  private mutating func moveToNext(end: UInt8) throws(JSONError) -> Bool {
    if expectation == .value { try skipValue() }
    let byte = try peek()
    if byte == end {
      position += 1
      expectation = .commaOrEnd
      return false
    }
    if expectation == .commaOrEnd {
      guard byte == UInt8(ascii: ",") else { throw fail(.unexpected(at: position)) }
      position += 1
    }
    expectation = .value
    return true
  }

  private mutating func skipNumber() throws(JSONError) {
    var index = position
    if byte(at: index) == UInt8(ascii: "-") { index += 1 }
    let first = index
    index = try endOfDigits(from: first)
    if bytes[first] == UInt8(ascii: "0"), index > first + 1 {
      throw fail(.unexpected(at: first + 1))
    }
    if byte(at: index) == UInt8(ascii: ".") { index = try endOfDigits(from: index + 1) }
    if let letter = byte(at: index), letter | 0x20 == UInt8(ascii: "e") {
      let sign = byte(at: index + 1)
      let isSigned = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
      index = try endOfDigits(from: index + (isSigned ? 2 : 1))
    }
    position = index
    expectation = .commaOrEnd
  }

  /// Returns the end of the digits that begin at `start`; throws if there is no digit.
  @inline(never)
  private mutating func endOfDigits(from start: Int) throws(JSONError) -> Int {
    var index = start
    while let digit = byte(at: index), digit.isASCIIDigit { index += 1 }
    guard index > start else {
      throw fail(index < bytes.count ? .unexpected(at: index) : .truncated)
    }
    return index
  }

  @inline(__always)
  private func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func checkEscape() throws(JSONError) {
    guard position + 1 < bytes.count else { throw fail(.truncated) }
    switch bytes[position + 1] {
    case UInt8(ascii: "u"):
      for offset in 2..<6 {
        guard position + offset < bytes.count else { throw fail(.truncated) }
        guard hexadecimalValue(of: bytes[position + offset]) != nil else {
          throw fail(.unexpected(at: position + offset))
        }
      }
      position += 6
    case let byte where escapedControl(byte) != nil: position += 2
    default: throw fail(.unexpected(at: position + 1))
    }
  }

  @inline(never)
  private mutating func expect(_ literal: StaticString) throws(JSONError) {
    let rest = bytes.extracting(position...)
    if let place = rest.firstDifference(from: literal.bytes) {
      throw fail(.unexpected(at: position + place))
    }
    guard rest.count >= literal.utf8CodeUnitCount else { throw fail(.truncated) }
    position += literal.utf8CodeUnitCount
    expectation = .commaOrEnd
  }

  @inline(__always)
  private mutating func expect(_ byte: UInt8) throws(JSONError) {
    guard try peek() == byte else { throw fail(.unexpected(at: position)) }
    position += 1
  }

  // Most writers emit no white space.
  @inline(__always)
  private mutating func peek() throws(JSONError) -> UInt8 {
    if position < bytes.count, bytes[position] > 0x20 { return bytes[position] }
    return try peekBehindSpace()
  }

  @inline(never)
  private mutating func peekBehindSpace() throws(JSONError) -> UInt8 {
    skipSpace()
    guard position < bytes.count else { throw fail(.truncated) }
    return bytes[position]
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }
}
