import Bytes

extension YAMLSyntaxFailure {
  /// Returns the failure as a problem for the user: its beginning, as far as known, and a remedy.
  /// Its position exists in `source`; libyaml's own mark of the end may be a line further.
  func explained(in source: ConfigurationSource) -> ConfigurationProblem {
    guard !problem.isEmpty else { return .outOfMemory }
    let end = source.end
    if let comment = comment(in: source) {
      return ConfigurationProblem(
        at: comment, .root,
        "this # begins a comment, so the bracket on line \(contextMark.line) is not closed",
        remedy: "put a text that contains \" #\" in quotes")
    }
    if problem.span.starts(with: "found a tab") || (isAboutCharacter && byte == UInt8(ascii: "\t"))
    {
      return ConfigurationProblem(
        at: mark, .root, "the line is indented with a tab", remedy: "use spaces")
    }
    if isAboutCharacter {
      return ConfigurationProblem(
        at: mark, .root, "a value cannot begin with this character", remedy: "put it in quotes")
    }
    if let missing = missingSpace(in: source) { return missing }
    if let early = earlyQuote(in: source) { return early }
    return mark < end || context.isEmpty ? explainedInTheMiddle(end) : explainedAtTheEnd(end)
  }

  /// Returns the comment that cut off a text in brackets; nil without one.
  private func comment(in source: ConfigurationSource) -> TextMark? {
    guard context.span.starts(with: "while parsing a flow") else { return nil }
    for comment in source.comments where contextMark < comment.mark && comment.mark < mark {
      return comment.mark
    }
    return nil
  }

  /// Returns the problem for a line above such as `country:DE`, which is no setting, so that its
  /// text goes on; nil without one.
  private func missingSpace(in source: ConfigurationSource) -> ConfigurationProblem? {
    let isAboutColon = problem.span.starts(with: "mapping values are not")
    guard isAboutColon || problem.span.starts(with: "could not find expected ':'") else {
      return nil
    }
    let numbers = [contextMark.line, mark.line - 1]
    for number in numbers where (1...mark.line).contains(number) {
      let line = source.text(ofLine: number)
      guard let sign = signOfSetting(in: line) else { continue }
      return ConfigurationProblem(
        at: TextMark(line: number, column: sign - line.startIndex + 1), .root,
        "this line has no key and value", remedy: "write key: value, with a colon and a space")
    }
    return nil
  }

  /// Returns the index of the first sign behind a key; nil if it is a colon with a space, or if the
  /// line has no key.
  private func signOfSetting(in line: ArraySlice<UInt8>) -> Int? {
    guard let begin = line.firstIndex(where: { $0 != UInt8(ascii: " ") }),
      let sign = line[begin...].firstIndex(where: { !$0.isLetterOrDigit && $0 != UInt8(ascii: "_") }
      ),
      sign > begin, line[sign] == UInt8(ascii: ":") || line[sign] == UInt8(ascii: "=")
    else { return nil }
    let next = line[(sign + 1)...].first ?? UInt8(ascii: " ")
    return line[sign] == UInt8(ascii: ":") && next.isASCIISpace ? nil : sign
  }

  /// Returns the problem for a quote inside of a text in quotes, as in `'Mum's'`; nil without one.
  private func earlyQuote(in source: ConfigurationSource) -> ConfigurationProblem? {
    guard problem.span.starts(with: "did not find expected"),
      let last = source.text(ofLine: mark.line, before: mark.column).last,
      last == UInt8(ascii: "'") || last == UInt8(ascii: "\"")
    else { return nil }
    let isSingle = last == UInt8(ascii: "'")
    return ConfigurationProblem(
      at: min(mark, source.end), .root, "the text in quotes ends before this place",
      remedy: isSingle
        ? "write a ' inside of the text twice, or put the text in \" quotes"
        : "write \\\" for a \" inside of the text, or put the text in ' quotes")
  }

  private var isAboutCharacter: Bool {
    problem.span.elementsEqual("found character that cannot start any token")
  }

  /// Returns the problem for a construct without an end, at its beginning.
  private func explainedAtTheEnd(_ end: TextMark) -> ConfigurationProblem {
    let endings: [(context: StaticString, problem: MessageText, remedy: MessageText)] = [
      (
        "while scanning a quoted scalar", "a text in quotes begins here and does not end",
        "close it with the quote it begins with"
      ),
      ("while parsing a flow sequence", "a list begins here and does not end", "close it with ]"),
      ("while parsing a flow mapping", "a section begins here and does not end", "close it with }"),
    ]
    let known = endings.first { context.span.elementsEqual($0.context) }
    return ConfigurationProblem(
      at: min(contextMark, end), .root, known?.problem ?? words, remedy: known?.remedy ?? remedy)
  }

  private func explainedInTheMiddle(_ end: TextMark) -> ConfigurationProblem {
    let begun: MessageText =
      context.isEmpty || contextMark.line == mark.line
      ? "" : ", which begins on line \(contextMark.line)"
    return ConfigurationProblem(at: min(mark, end), .root, "\(words)\(begun)", remedy: remedy)
  }

  private var words: MessageText {
    context.isEmpty
      ? "this is not YAML: \(bytes: problem)"
      : "this is not YAML: \(bytes: problem) \(bytes: context)"
  }

  private var remedy: MessageText {
    let remedies: [(begins: StaticString, remedy: MessageText)] = [
      ("mapping values are not", "check the indentation; a text that contains \": \" needs quotes"),
      ("did not find expected ',' or ']'", "close the list with ] or put a comma between items"),
      ("did not find expected ',' or '}'", "close it with } or put a comma between settings"),
      ("did not find expected key", "check the indentation: keys that belong together align"),
      ("did not find expected '-'", "check the indentation: items of a list align"),
      ("could not find expected ':'", "write key: value, with a colon and a space"),
      ("block sequence entries", "begin a list on the line after its key"),
      ("found unknown escape", "write the backslash twice, or use single quotes"),
    ]
    let known = remedies.first { problem.span.starts(with: $0.begins) }
    return known?.remedy ?? "check the indentation, the brackets and the quotes"
  }
}

extension ConfigurationProblem {
  static let outOfMemory = ConfigurationProblem(
    at: .start, .root, "there is not enough memory to read the file",
    remedy: "stop other programs, and try again")
}
