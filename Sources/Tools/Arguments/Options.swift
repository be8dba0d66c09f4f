import Board
import Bytes
import YAML

/// Options of a command line, and its other words. The last value of an option counts.
struct Options {
  /// Option with a description of its value for a mistake; nil if it takes none.
  typealias Row = (name: StaticString, value: StaticString?)

  /// Options of every command.
  static var common: [Row] { [("--config", "the name of a file"), ("--json", nil)] }

  private(set) var words: [[UInt8]] = []
  private var given: [(name: StaticString, value: [UInt8])] = []

  /// Reads all arguments of a command, which accepts `rows` and as many words.
  init(_ arguments: inout Arguments, of rows: [Row], wordsMax: Int) throws(UsageError) {
    while let argument = try arguments.next() {
      if let row = (Self.common + rows).first(where: { $0.name ~= argument }) {
        var value: [UInt8] = []
        if let meaning = row.value { value = try arguments.value(of: argument, meaning) }
        given.append((row.name, value))
        continue
      }
      // A number may be negative, such as a longitude.
      guard !argument.isOption || argument.bytes[1].isASCIIDigit, words.count < wordsMax else {
        throw argument.unknown
      }
      words.append(argument.bytes)
    }
  }

  /// Value of an option, which is empty if it takes none; nil if it is not given.
  subscript(_ name: StaticString) -> [UInt8]? {
    given.last { [UInt8]($0.name).span.elementsEqual(name) }?.value
  }

  func has(_ name: StaticString) -> Bool { self[name] != nil }

  /// Returns the first of these options that is given.
  func first(of names: [StaticString]) -> StaticString? { names.first { has($0) } }

  /// Number of these options in the command line, repetitions included.
  func count(of names: [StaticString]) -> Int {
    given.count { option in names.contains { [UInt8](option.name).span.elementsEqual($0) } }
  }

  var isJSON: Bool { has("--json") }

  /// Configuration file, named or not.
  var file: [UInt8] { self["--config"] ?? [UInt8](Configuration.defaultFile) }

  /// Returns the time after an option; `example` is a valid one.
  func duration(
    _ name: StaticString, in range: ClosedRange<Duration>, example: StaticString
  ) throws(UsageError) -> Duration? {
    guard let text = self[name] else { return nil }
    do throws(Refusal) { return try Duration(text, in: range, example: example) } catch {
      throw .mistake("\(name): \(error.problem); \(error.remedy)")
    }
  }
}
