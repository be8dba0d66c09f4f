import Libc

/// Takes the place of the testing library, which Embedded Swift does not have. It prints one line
/// when a test begins, and one with its result: a test that ends the program has no second one.
enum Testing {
  nonisolated(unsafe) private static var failureCount = 0
  nonisolated(unsafe) private static var count = 0
  private static let passedOver = unsafe getenv("PASS_OVER").map { unsafe Int(atoi($0)) } ?? 0

  /// Runs one test, unless it is among those to pass over: the first ones, which ran before.
  static func run(_ name: StaticString, _ test: () -> Void) {
    count += 1
    guard count > passedOver else { return }
    let before = failureCount
    say("begins \(name)")
    test()
    say(failureCount == before ? "passed \(name)" : "failed \(name)")
  }

  static func expect(
    _ isMet: Bool, _ comment: @autoclosure () -> String = "",
    sourceLocation place: SourceLocation? = nil, file: StaticString = #fileID, line: Int = #line
  ) {
    if !isMet { fail("not as expected: \(comment())", place ?? SourceLocation(file, line)) }
  }

  @discardableResult
  static func expect<Failure: Error & Equatable, Result: ~Copyable>(
    throws expected: Failure, _ comment: @autoclosure () -> String = "",
    sourceLocation place: SourceLocation? = nil, file: StaticString = #fileID, line: Int = #line,
    performing body: () throws(Failure) -> Result
  ) -> Failure? {
    let error = expect(
      throws: Failure.self, comment(), sourceLocation: place, file: file, line: line,
      performing: body)
    if let error, error != expected {
      fail("another error: \(comment())", place ?? SourceLocation(file, line))
    }
    return error
  }

  @discardableResult
  static func expect<Failure: Error, Result: ~Copyable>(
    throws expected: Failure.Type, _ comment: @autoclosure () -> String = "",
    sourceLocation place: SourceLocation? = nil, file: StaticString = #fileID, line: Int = #line,
    performing body: () throws(Failure) -> Result
  ) -> Failure? {
    do throws(Failure) {
      _ = try body()
      fail("nothing was thrown: \(comment())", place ?? SourceLocation(file, line))
      return nil
    } catch { return error }
  }

  /// Ends the test if there is no value.
  static func require<Value>(
    _ value: Value?, _ comment: @autoclosure () -> String = "",
    sourceLocation place: SourceLocation? = nil, file: StaticString = #fileID, line: Int = #line
  ) -> Value {
    if let value { return value }
    fail("missing: \(comment())", place ?? SourceLocation(file, line))
    exit(1)
  }

  static func require(
    _ isMet: Bool, _ comment: @autoclosure () -> String = "",
    sourceLocation place: SourceLocation? = nil, file: StaticString = #fileID, line: Int = #line
  ) {
    if isMet { return }
    fail("not as required: \(comment())", place ?? SourceLocation(file, line))
    exit(1)
  }

  static func fail(_ message: String, _ place: SourceLocation) {
    failureCount += 1
    say("\(place.file):\(place.line): \(message)")
  }

  /// Prints a line. With write(2), so that what ends the process next takes nothing with it.
  static func say(_ line: String) {
    let bytes = [UInt8]((line + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
  }
}

struct SourceLocation {
  let file: StaticString
  let line: Int
  init(_ file: StaticString = #fileID, _ line: Int = #line) {
    (self.file, self.line) = (file, line)
  }
}

enum Issue {
  static func record(_ comment: String, file: StaticString = #fileID, line: Int = #line) {
    Testing.fail(comment, SourceLocation(file, line))
  }
}

/// What the standard library reads a number with, which Embedded Swift leaves to the program.
@c(_swift_stdlib_strtod_clocale)
func readDouble(_ text: UnsafePointer<CChar>, _ result: UnsafeMutablePointer<Double>)
  -> UnsafePointer<CChar>?
{
  var end: UnsafeMutablePointer<CChar>? = nil
  unsafe result.pointee = unsafe strtod(text, &end)
  return unsafe end.map { unsafe UnsafePointer($0) }
}

extension Testing {
  /// Ends the test.
  static func stop(file: StaticString = #fileID, line: Int = #line) -> Never {
    fail("an error", SourceLocation(file, line))
    exit(1)
  }
}

typealias Comment = String

// What the standard library has of these is in modules that Embedded Swift does without.
extension StringProtocol {
  func contains(_ other: some StringProtocol) -> Bool { firstRange(of: other) != nil }

  func firstRange(of other: some StringProtocol) -> Range<Index>? {
    let wanted = Array(other.utf8)
    var start = startIndex
    while utf8[start...].count >= wanted.count {
      if utf8[start...].starts(with: wanted) {
        return start..<utf8.index(start, offsetBy: wanted.count)
      }
      if start == endIndex { return nil }
      start = utf8.index(after: start)
    }
    return nil
  }

  func replacing(_ old: String, with new: String, maxReplacements: Int = .max) -> String {
    var (result, rest, count) = ([UInt8](), self[...], 0)
    while count < maxReplacements, let range = rest.firstRange(of: old) {
      result += Array(rest[..<range.lowerBound].utf8) + Array(new.utf8)
      rest = rest[range.upperBound...]
      count += 1
    }
    return String(decoding: result + Array(rest.utf8), as: UTF8.self)
  }
}
