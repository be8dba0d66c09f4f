/// The text of a configuration file, before anyone looks at its structure.
enum ConfigurationSource {
  /// Bytes of the whole file. A configuration of 64 sensors with everything set has about 12 KiB.
  static let bytesMax = 65536

  /// Where `source` ends, when it is UTF-8 without control characters, so that every position in
  /// it is exact; nil, reported, for anything else.
  static func end(of source: [UInt8], problems: ProblemCollector) -> TextMark? {
    var mark = TextMark.start
    func refuse(_ problem: MessageText, remedy: MessageText) -> TextMark? {
      problems.report(ConfigurationProblem(at: mark, .root, problem, remedy: remedy))
      return nil
    }
    guard source.count <= bytesMax else {
      return refuse("the file has \(source.count) bytes", remedy: "the most is \(bytesMax)")
    }
    guard !source.starts(with: [0xFF, 0xFE]), !source.starts(with: [0xFE, 0xFF]) else {
      return refuse("the file is UTF-16", remedy: "save it as UTF-8")
    }
    var previous: Unicode.Scalar = " "
    var parser = Unicode.UTF8.ForwardParser()
    var rest = withoutByteOrderMark(source).makeIterator()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return mark
      case .error: return refuse("the file is not UTF-8 here", remedy: "save it as UTF-8")
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        guard scalar != "\0" else {
          return refuse("there is a NUL byte here", remedy: "is this the right file?")
        }
        guard scalar.isFitForConfiguration else {
          return refuse("there is an invisible control character here", remedy: "delete it")
        }
        mark.advance(over: scalar, after: previous)
        previous = scalar
      }
    }
  }

  private static func withoutByteOrderMark(_ source: [UInt8]) -> ArraySlice<UInt8> {
    source.dropFirst(source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
  }
}

extension Unicode.Scalar {
  /// Beside control characters, YAML refuses two more. Some of all these end a line for YAML and
  /// not for an editor: positions would differ.
  fileprivate var isFitForConfiguration: Bool {
    switch self {
    case "\t", "\n", "\r": true
    case "\u{FFFE}", "\u{FFFF}": false
    default: !isInvisibleControl
    }
  }
}

extension TextMark {
  /// The mark after `scalar`; a carriage return and a line feed are one line end.
  fileprivate mutating func advance(over scalar: Unicode.Scalar, after previous: Unicode.Scalar) {
    switch scalar {
    case "\n" where previous == "\r": return
    case "\n", "\r": self = TextMark(line: line + 1, column: 1)
    default: column += 1
    }
  }
}
