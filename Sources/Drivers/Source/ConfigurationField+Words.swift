import Bytes
import YAML

extension ConfigurationField {
  // Neither is inlined into the many kinds of sensors.
  /// Reads a text; nil, reported as not `what`, if it is not valid.
  @inline(never)
  func text(
    _ what: StaticString, remedy: @autoclosure () -> MessageText, where isValid: ([UInt8]) -> Bool
  ) -> [UInt8]? {
    guard let text = text() else { return nil }
    if isValid(text) { return text }
    reportNot(what, text, remedy: remedy())
    return nil
  }

  /// Reports that `text` is not `what`.
  @inline(never)
  func reportNot(_ what: StaticString, _ text: [UInt8], remedy: MessageText) {
    report("\(quoted: text) is not \(what)", remedy: remedy)
  }

  /// Reads a list of different words from `words`; returns their indices.
  func indices(of words: [StaticString], example: StaticString) -> [Int] {
    let seen = SeenTexts()
    return items(count: 1...words.count, example: example).compactMap { item in
      guard let index = item.word(of: words) else { return nil }
      seen.add([UInt8](words[index]), of: item)
      return index
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether this can be the name of a directory of the kernel.
  var isFileName: Bool {
    !isEmpty && self[0] != UInt8(ascii: ".") && isVisibleASCII
      && firstIndex(of: UInt8(ascii: "/")) == nil
  }
}
