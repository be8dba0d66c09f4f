import Bytes

/// The text of a configuration file, before anyone looks at its structure.
enum ConfigurationSource {
  /// Bytes of the whole file. A configuration of 64 sensors with everything set has about 12 KiB.
  static let bytesMax = 65536

  /// Where `source` ends, when it is UTF-8 without control characters, so that every position in
  /// it is exact; nil, reported, for anything else.
  static func end(of source: [UInt8], problems: ProblemCollector) -> TextMark? {
    var mark = TextMark.start
    func refuse(_ problem: MessageText, remedy: MessageText) -> TextMark? {
      problems.report(at: mark, .root, problem, remedy: remedy)
      return nil
    }
    guard source.count <= bytesMax else {
      return refuse("the file has \(source.count) bytes", remedy: "the most is \(bytesMax)")
    }
    let isUTF16 =
      source.count >= 2
      && ((source[0] == 0xFF && source[1] == 0xFE) || (source[0] == 0xFE && source[1] == 0xFF))
    guard !isUTF16 else {
      return refuse("the file is UTF-16", remedy: "save it as UTF-8")
    }
    var previous: UInt32?
    var index = source.span.starts(with: "\u{FEFF}") ? 3 : 0
    while index < source.count {
      let character = source.span.character(at: index)
      guard let scalar = character.scalar else {
        return refuse("the file is not UTF-8 here", remedy: "save it as UTF-8")
      }
      guard scalar != 0 else {
        return refuse("there is a NUL byte here", remedy: "is this the right file?")
      }
      guard character.isFitForConfiguration else {
        return refuse("there is an invisible control character here", remedy: "delete it")
      }
      mark.advance(over: scalar, after: previous)
      previous = scalar
      index = character.end
    }
    return mark
  }
}

private let tab: UInt32 = 0x09
private let lineFeed: UInt32 = 0x0A
private let carriageReturn: UInt32 = 0x0D

extension TextCharacter {
  /// Beside control characters, YAML refuses two more. Some of all these end a line for YAML and
  /// not for an editor: positions would differ.
  fileprivate var isFitForConfiguration: Bool {
    switch scalar {
    case tab, lineFeed, carriageReturn: true
    case 0xFFFE, 0xFFFF: false
    default: !isInvisibleControl
    }
  }
}

extension TextMark {
  /// The mark after `scalar`; a carriage return and a line feed are one line end.
  fileprivate mutating func advance(over scalar: UInt32, after previous: UInt32?) {
    switch scalar {
    case lineFeed where previous == carriageReturn: return
    case lineFeed, carriageReturn: self = TextMark(line: line + 1, column: 1)
    default: column += 1
    }
  }
}
