import Bytes

/// Error that ends the parsing; its reason has been reported.
struct YAMLAbandoned: Error {}

/// Builds the tree of a YAML text, and rejects constructs that a configuration does not need:
/// anchors and aliases (and with them the "billion laughs"), tags, merge keys, a second document.
struct YAMLTreeBuilder: ~Copyable {
  /// Maximum nesting depth of mappings and lists. The deepest setting is at depth 4.
  static let depthMax = 8
  /// Maximum length of one key or value in bytes.
  static let scalarBytesMax = 4096
  /// Maximum number of entries of one mapping or list; limits the search for duplicate keys.
  static let entriesMax = 256

  private var events: YAMLEventStream
  private let source: ConfigurationSource
  private let problems: ProblemCollector
  /// Whether the builder is inside a rejected node, whose content is not reported.
  private var isMuted = false

  /// Returns the tree of `text`, whose bytes have been checked; nil without one. All problems go to
  /// `problems`.
  static func tree(
    of text: [UInt8], _ source: ConfigurationSource, problems: ProblemCollector
  ) -> YAMLNode? {
    guard let events = YAMLEventStream(text) else {
      problems.report(.outOfMemory)
      return nil
    }
    var builder = YAMLTreeBuilder(events: events, source, problems: problems)
    do throws(YAMLAbandoned) { return try builder.onlyDocument() } catch { return nil }
  }

  private init(
    events: consuming YAMLEventStream, _ source: ConfigurationSource, problems: ProblemCollector
  ) {
    self.events = events
    self.source = source
    self.problems = problems
  }

  /// Returns the root of the only document; nil if the text contains none.
  private mutating func onlyDocument() throws(YAMLAbandoned) -> YAMLNode? {
    var root: YAMLNode?
    while true {
      let event = try nextEvent()
      switch event.kind {
      case .end: return root
      case .documentStart where root != nil:
        throw abandon(
          event.mark, .root, "a second document begins here",
          remedy: "keep one, and remove the line ---")
      case .documentStart: root = try node(from: try nextEvent(), .root, depth: 1)
      default: continue
      }
    }
  }

  // Called for every node: inlined into its callers it would exist four times.
  @inline(never)
  private mutating func node(
    from event: YAMLEvent, _ path: ConfigurationPath, depth: Int
  ) throws(YAMLAbandoned) -> YAMLNode {
    let isAccepted = accepts(event, path)
    let content: YAMLNode.Content
    switch event.kind {
    case .scalar(let isPlain): content = .scalar(event.text, isPlain: isPlain)
    case .sequenceStart: content = .sequence(try items(of: event, path, depth: depth))
    case .mappingStart: content = .mapping(try entries(of: event, path, depth: depth))
    default: content = .refused
    }
    return YAMLNode(content: isAccepted ? content : .refused, mark: event.mark)
  }

  private mutating func items(
    of start: YAMLEvent, _ path: ConfigurationPath, depth: Int
  ) throws(YAMLAbandoned) -> [YAMLNode] {
    try enter(start, path, depth: depth)
    var items: [YAMLNode] = []
    while true {
      let event = try nextEvent()
      if case .sequenceEnd = event.kind { return items }
      try admit(items.count + 1, event, path)
      items.append(try node(from: event, path.appending(index: items.count), depth: depth + 1))
    }
  }

  private mutating func entries(
    of start: YAMLEvent, _ path: ConfigurationPath, depth: Int
  ) throws(YAMLAbandoned) -> [YAMLEntry] {
    try enter(start, path, depth: depth)
    var entries: [YAMLEntry] = []
    while true {
      let event = try nextEvent()
      if case .mappingEnd = event.kind { return entries }
      try admit(entries.count + 1, event, path)
      guard let key = try key(from: event, path, depth: depth) else {
        try skip(try nextEvent(), path, depth: depth)
        continue
      }
      let shown = problems.shows(key) ? key : [UInt8]("...")
      let value = try node(from: try nextEvent(), path.appending(shown), depth: depth + 1)
      if let first = entries.first(where: { $0.key == key }) {
        report(
          event.mark, path, "the key \(quoted: shown) is here twice",
          remedy: "remove one; the first is on line \(first.mark.line)")
      } else {
        entries.append(YAMLEntry(key: key, mark: event.mark, value: value))
      }
    }
  }

  /// Returns the key of an entry; nil if the whole entry is rejected.
  private mutating func key(
    from event: YAMLEvent, _ path: ConfigurationPath, depth: Int
  ) throws(YAMLAbandoned) -> [UInt8]? {
    guard case .scalar(let isPlain) = event.kind else {
      report(event.mark, path, "a key must be a plain word", remedy: "write key: value")
      try skip(event, path, depth: depth)
      return nil
    }
    let text = event.text
    if isPlain, text.span.elementsEqual("<<") {
      report(
        event.mark, path, "merge keys (<<) are not supported", remedy: "write the settings out")
      return nil
    }
    return accepts(event, path) ? text : nil
  }

  /// Skips a rejected key or value without reporting its content.
  private mutating func skip(
    _ event: YAMLEvent, _ path: ConfigurationPath, depth: Int
  ) throws(YAMLAbandoned) {
    let wasMuted = isMuted
    isMuted = true
    defer { isMuted = wasMuted }
    _ = try node(from: event, path, depth: depth + 1)
  }
}

// MARK: - Limits and refusals

extension YAMLTreeBuilder {
  @inline(never)
  private mutating func nextEvent() throws(YAMLAbandoned) -> YAMLEvent {
    do throws(YAMLSyntaxFailure) {
      return try events.next()
    } catch {
      problems.report(error.explained(in: source))
      throw YAMLAbandoned()
    }
  }

  private func enter(
    _ event: YAMLEvent, _ path: ConfigurationPath, depth: Int
  ) throws(YAMLAbandoned) {
    guard depth > Self.depthMax else { return }
    throw abandon(
      event.mark, path, "keys and lists are nested more than \(Self.depthMax) deep",
      remedy: "no setting needs that; check the brackets and the indentation")
  }

  private func admit(
    _ count: Int, _ event: YAMLEvent, _ path: ConfigurationPath
  ) throws(YAMLAbandoned) {
    guard count > Self.entriesMax else { return }
    throw abandon(
      event.mark, path, "there are more than \(Self.entriesMax) entries here",
      remedy: "no setting needs that many; remove some")
  }

  /// Whether a node has no anchor, alias, tag, typographic quote or excess length; reports them.
  private func accepts(_ event: YAMLEvent, _ path: ConfigurationPath) -> Bool {
    if event.hasAnchor {
      report(
        event.mark, path, "anchors (&) are not supported",
        remedy: "remove it, and write the value wherever it is needed")
    }
    if case .alias = event.kind {
      report(
        event.mark, path, "aliases (*) are not supported",
        remedy: "write the value out; a text that begins with * needs quotes")
      return false
    }
    if let tag = event.tag {
      refuse(tag: tag, event, path)
      return false
    }
    if case .scalar(isPlain: true) = event.kind, let quote = event.text.typographicQuote {
      report(
        event.mark, path, "\(bytes: quote) is not a quote in YAML, but a part of the text",
        remedy: "write \" at both ends")
      return false
    }
    guard event.text.count > Self.scalarBytesMax else { return true }
    report(
      event.mark, path, "this text has \(event.text.count) bytes",
      remedy: "the most is \(Self.scalarBytesMax); is a quote missing?")
    return false
  }

  /// Reports a tag without its word, which may be a password without quotes.
  private func refuse(tag: [UInt8], _ event: YAMLEvent, _ path: ConfigurationPath) {
    if tag.span.elementsEqual("!secret") {
      report(
        event.mark, path, "!secret is not supported: only Home Assistant knows it",
        remedy: "write a token to the file of token_file, and other values here")
    } else {
      report(
        event.mark, path, "tags are not supported",
        remedy: "write the value itself; a text that begins with ! needs quotes")
    }
  }

  private func report(
    _ mark: TextMark, _ path: ConfigurationPath, _ problem: MessageText, remedy: MessageText
  ) {
    guard !isMuted else { return }
    problems.report(at: mark, path, problem, remedy: remedy)
  }

  /// Reports a problem that makes further parsing useless, even if muted.
  private func abandon(
    _ mark: TextMark, _ path: ConfigurationPath, _ problem: MessageText, remedy: MessageText
  ) -> YAMLAbandoned {
    problems.report(at: mark, path, problem, remedy: remedy)
    return YAMLAbandoned()
  }
}

extension [UInt8] {
  /// Typographic quotation mark at the beginning of the text; nil without one. A single one may be
  /// an apostrophe, so it counts only if the text also ends with one.
  fileprivate var typographicQuote: [UInt8]? {
    guard let first = span.quoteLength(at: 0) else { return nil }
    let isSingle = first.isSingle
    if isSingle, count < 6 || span.quoteLength(at: count - 3)?.isSingle != true { return nil }
    return [UInt8](self[..<first.length])
  }
}

extension Span<UInt8> {
  fileprivate func quoteLength(at index: Int) -> (length: Int, isSingle: Bool)? {
    guard index < count else { return nil }
    let character = character(at: index)
    switch character.scalar ?? 0 {
    case 0xAB, 0xBB, 0x201C...0x201F, 0x2033: return (character.end - index, false)
    case 0x2018...0x201B, 0x2032, 0x2039, 0x203A: return (character.end - index, true)
    default: return nil
    }
  }
}
