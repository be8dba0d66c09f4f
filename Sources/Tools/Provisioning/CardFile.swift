import Bytes
import YAML

/// Text of `homeward.yaml` on a card, split into the section `card`, which the provisioner reads,
/// and the configuration of the agent, without comments at the margin. Each has the lines of the
/// other as empty ones, so that a place in it is a place in the file.
struct CardFile {
  static let name: StaticString = "homeward.yaml"
  /// Keys that no configuration has: at the margin they are keys of `card` that are not indented.
  private static let cardKeys: [StaticString] = ["card"] + CardSettings.keys

  private let bytes: [UInt8]
  private(set) var card: [UInt8] = []
  private(set) var hasCard = false
  private var rest: [UInt8] = []
  private var hasRest = false
  /// Place of a line `card:` that does not begin at the margin.
  private(set) var indentedCard: (line: Int, column: Int)?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // The byte order mark of an editor.
    var start = bytes.span.starts(with: "\u{FEFF}") ? 3 : 0
    var (isInCard, number) = (false, 0)
    while start < bytes.count {
      let end = bytes[start...].firstIndex { $0 == lineFeed || $0 == carriageReturn } ?? bytes.count
      let line = bytes[start..<end]
      var next = min(end + 1, bytes.count)
      if next < bytes.count, bytes[end] == carriageReturn, bytes[next] == lineFeed { next += 1 }
      number += 1
      if indentedCard == nil, let column = Self.indentation(ofCard: line) {
        indentedCard = (number, column + 1)
      }
      let isCard = Self.isOfCard(line, after: &isInCard)
      if isCard { hasCard = true } else if Self.isSetting(line) { hasRest = true }
      let (empty, whole) = (bytes[end..<next], bytes[start..<next])
      card += isCard ? whole : empty
      // A comment may be a part of the section, with a secret, that a person took out.
      rest += isCard || line.first == UInt8(ascii: "#") ? empty : whole
      start = next
    }
  }

  /// Configuration of the agent; an empty mapping if the file has nothing but the section `card`.
  var configuration: [UInt8] { hasCard && !hasRest ? [UInt8]("{}\n") : rest }

  /// Positions of a text in the file.
  func places(of text: [UInt8]) -> [Int] {
    var places: [Int] = []
    var place = 0
    while place + text.count <= bytes.count {
      let isHere = bytes.span.extracting(place...).starts(with: text.span)
      if isHere { places.append(place) }
      place += isHere ? text.count : 1
    }
    return places
  }

  /// Returns whether a line belongs to the section `card`. Comments at the margin never do.
  private static func isOfCard(_ line: ArraySlice<UInt8>, after isInCard: inout Bool) -> Bool {
    guard isSetting(line), let first = line.first else { return false }
    let continues: StaticString = " \t}]"
    let isItem = first == UInt8(ascii: "-") && (line.count == 1 || line.dropFirst().first == space)
    if isItem || [UInt8](continues).contains(first) { return isInCard }
    let key = [UInt8](line.prefix { $0 != UInt8(ascii: ":") })
    let word = [UInt8](key.span.trimmed()).lowercasedASCII
    isInCard = key.count < line.count && cardKeys.contains { word.span.elementsEqual($0) }
    return isInCard
  }

  /// Returns the number of blanks before `card:`; nil for any other line, and at the margin.
  private static func indentation(ofCard line: ArraySlice<UInt8>) -> Int? {
    let (word, blanks) = ([UInt8](line.span.trimmed()), line.prefix { $0.isASCIISpace }.count)
    return blanks > 0 && word.span.elementsEqual("card:") ? blanks : nil
  }

  /// Whether a line has more than blanks, and is not a comment at the margin.
  private static func isSetting(_ line: ArraySlice<UInt8>) -> Bool {
    line.first != UInt8(ascii: "#") && line.contains { !$0.isASCIISpace }
  }
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
private let space = UInt8(ascii: " ")

extension CardFile {
  /// Reads the section `card`; nil if there is none, or if it is not YAML. Mistakes are reported.
  func settings(_ problems: ProblemCollector) -> CardSettings? {
    guard hasCard,
      let root = ConfigurationField(
        file: card, example: "card: { country: DE }", problems: problems),
      let keys = root.section(example: "card: { country: DE }")
    else { return nil }
    keys.show(
      only: CardSettings.keys,
      remedy: "write card: on a line above, and indent this one by two spaces")
    var settings = keys.optional("card")?.card()
    keys.reportUnknownKeys()
    if !problems.isEmpty { settings?.keepMissing() }
    return settings
  }
}
