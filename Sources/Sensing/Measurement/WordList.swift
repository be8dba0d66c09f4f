public import Bytes

/// A list of words in one literal, separated by spaces.
public struct WordList: Sendable, ExpressibleByStringLiteral {
  private let text: StaticString

  public init(stringLiteral text: StaticString) { self.text = text }

  /// The words; empty if the literal is empty.
  public var words: [[UInt8]] {
    [UInt8](text).split(separator: UInt8(ascii: " ")).map { [UInt8]($0) }
  }

  public var first: [UInt8]? { words.first }

  public func contains(_ word: [UInt8]) -> Bool { words.contains(word) }

  /// The words as `a, b or c`.
  public var alternatives: MessageText {
    let words = words
    var shown: [UInt8] = []
    for index in words.indices {
      if index > 0 { shown += [UInt8](index == words.count - 1 ? " or " : ", ") }
      shown += words[index]
    }
    return MessageText(bytes: shown)
  }
}
