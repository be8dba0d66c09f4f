import Bytes
import CLinux

/// Why a command does not begin: the command line is wrong, or asks for help.
enum UsageError: Error {
  case mistake(MessageText)
  case helpWanted
}

/// The words after a command's name, taken one by one.
///
///     while let argument = try arguments.next() {
///       switch argument {
///       case "--once": isOnce = true
///       case "--config": file = try arguments.value(of: argument, "the name of a file")
///       default: throw argument.unknown
///       }
///     }
struct Arguments {
  private var rest: ArraySlice<[UInt8]>

  init(_ words: [[UInt8]]) { rest = words[...] }

  /// The arguments of this process after its name.
  @safe static var ofProcess: Arguments {
    Arguments(
      (1..<max(clinux_argument_count(), 1)).compactMap { index in
        guard let text = unsafe clinux_argument(index) else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
      })
  }

  /// - Throws: `helpWanted` where the next one is `--help` or `-h`.
  mutating func next() throws(UsageError) -> Argument? {
    guard let word = rest.popFirst() else { return nil }
    let argument = Argument(bytes: word)
    if "--help" ~= argument || "-h" ~= argument { throw .helpWanted }
    return argument
  }

  /// The word after an option. `meaning` says what is missing where there is none.
  mutating func value(
    of option: Argument, _ meaning: StaticString
  ) throws(UsageError) -> [UInt8] {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw .mistake("\(bytes: option.bytes) needs \(meaning)")
    }
    return value
  }
}

/// One word of the command line.
struct Argument {
  let bytes: [UInt8]

  /// Whether it begins like an option. A single `-` is a name for standard input.
  var isOption: Bool { bytes.count > 1 && bytes.span.starts(with: "-") }

  var unknown: UsageError { .mistake("\(quoted: bytes) is not known here") }

  static func ~= (literal: StaticString, argument: Argument) -> Bool {
    argument.bytes.span.elementsEqual(literal)
  }
}
