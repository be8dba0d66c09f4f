import Bytes

/// Words of a command line: options with a value, switches, and the rest.
struct Arguments {
  private(set) var words: [Text] = []
  private var values: [Text: Text] = [:]
  private var switches: Set<Text> = []

  /// Reads words, of which `options` are followed by a value, and `switches` are not; both have
  /// their dashes.
  init(
    _ arguments: [Text], options: Set<Text>, switches: Set<Text>
  ) throws(CommandError) {
    var iterator = arguments.makeIterator()
    while let word = iterator.next() {
      if options.contains(word) {
        guard let value = iterator.next() else { throw .usage("\(word) needs a value") }
        values[word] = value
      } else if switches.contains(word) {
        self.switches.insert(word)
      } else if word.hasPrefix("-") {
        throw .usage("unknown option \(word)")
      } else {
        words.append(word)
      }
    }
  }

  subscript(option: Text) -> Text? { values[option] }
  func has(_ name: Text) -> Bool { switches.contains(name) }

  /// Value of an option as a whole number above zero; nil without the option.
  func count(_ option: Text) throws(CommandError) -> Int64? {
    guard let text = values[option] else { return nil }
    guard let number = Int64(text.string), number > 0, number <= 1_000_000_000 else {
      throw .usage("\(option) must be a whole number above 0")
    }
    return number
  }
}

/// Error of a command: its text on stderr, and an exit code of sysexits.
struct CommandError: Error {
  let code: Int32
  let message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  init(_ failure: StoreFailure) {
    self.init(code: 74, message: "the store: \(failure)")
  }

  static func usage(_ message: String) -> CommandError {
    CommandError(code: 64, message: "\(message) (see homeward-relay --help)")
  }

  static func noSuchBoard(_ name: Text) -> CommandError {
    CommandError(
      code: 65, message: "there is no board named \(name); homeward-relay token list shows them")
  }
}
