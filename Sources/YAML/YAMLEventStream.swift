import Bytes
import CYAML

/// Value of the YAML text, with the position of its beginning.
final class YAMLNode {
  enum Content {
    /// A text; plain means without quotes.
    case scalar([UInt8], isPlain: Bool)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
    /// A value that the builder has already reported, so that it is reported only once.
    case refused
  }

  let content: Content
  let mark: TextMark

  init(content: Content, mark: TextMark) {
    self.content = content
    self.mark = mark
  }

  /// Whether the value after the key is missing or YAML's word for null.
  var isEmpty: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return text.isEmpty || text.span.elementsEqual("~") || text.span.elementsEqual("null")
  }
}

/// Entry `key: value` of a mapping. Keys are unique in their mapping.
struct YAMLEntry {
  let key: [UInt8]
  let mark: TextMark
  let value: YAMLNode
}

/// Position in the configuration file: line and column count from 1, columns in characters (Unicode
/// scalars), as editors show them.
struct TextMark: Comparable {
  static let start = TextMark(line: 1, column: 1)

  var line: Int
  var column: Int

  static func < (left: TextMark, right: TextMark) -> Bool {
    left.line == right.line ? left.column < right.column : left.line < right.line
  }
}

/// Parser events of libyaml, read one at a time.
///
/// All pointers of the configuration's reading are in this file, except those of literals.
@safe struct YAMLEventStream: ~Copyable {
  private let parser: UnsafeMutablePointer<cyaml_parser>

  /// Opens a stream over a copy of `source`; nil if there is not enough memory.
  init?(_ source: [UInt8]) {
    let opened = unsafe source.withUnsafeBufferPointer { bytes in
      unsafe cyaml_open(bytes.baseAddress, bytes.count)
    }
    guard let opened = unsafe opened else { return nil }
    unsafe parser = opened
  }

  deinit { unsafe cyaml_close(parser) }

  /// Returns the next event. After a failure, or `.end`, no event follows.
  mutating func next() throws(YAMLSyntaxFailure) -> YAMLEvent {
    var event = unsafe cyaml_event()
    guard unsafe cyaml_next(parser, &event) else {
      throw unsafe YAMLSyntaxFailure(cyaml_failure_of(parser))
    }
    return unsafe YAMLEvent(event)
  }
}

/// Event of the stream, copied into Swift types.
final class YAMLEvent {
  enum Kind {
    case scalar(isPlain: Bool), alias
    case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    case documentStart, end
    /// Start of the stream or end of a document, which carry no content.
    case other
  }

  let kind: Kind
  let mark: TextMark
  /// Text of a scalar, unescaped UTF-8; empty for all other events.
  let text: [UInt8]
  /// Explicit tag, such as `!secret`; nil without one.
  let tag: [UInt8]?
  let hasAnchor: Bool

  fileprivate init(_ event: cyaml_event) {
    kind =
      switch unsafe event.kind {
      case YAML_SCALAR_EVENT: .scalar(isPlain: unsafe event.is_plain)
      case YAML_ALIAS_EVENT: .alias
      case YAML_SEQUENCE_START_EVENT: .sequenceStart
      case YAML_SEQUENCE_END_EVENT: .sequenceEnd
      case YAML_MAPPING_START_EVENT: .mappingStart
      case YAML_MAPPING_END_EVENT: .mappingEnd
      case YAML_DOCUMENT_START_EVENT: .documentStart
      case YAML_STREAM_END_EVENT, YAML_NO_EVENT: .end
      default: .other
      }
    mark = TextMark(unsafe event.mark)
    text = unsafe bytes(of: event.value) ?? []
    tag = unsafe bytes(of: event.tag)
    hasAnchor = unsafe event.has_anchor
  }
}

/// Syntax error as libyaml describes it; `YAMLSyntaxFailure+Advice.swift` rewords it.
struct YAMLSyntaxFailure: Error {
  /// Description; empty if there was not enough memory.
  let problem: [UInt8]
  let mark: TextMark
  /// Construct with the error, such as `while scanning a quoted scalar`, and its beginning.
  let context: [UInt8]
  let contextMark: TextMark
  /// Byte at the error; 0 at the end of the text.
  let byte: UInt8

  fileprivate init(_ failure: cyaml_failure) {
    problem = unsafe bytes(of: failure.problem) ?? []
    mark = TextMark(unsafe failure.mark)
    context = unsafe bytes(of: failure.context) ?? []
    contextMark = TextMark(unsafe failure.context_mark)
    byte = unsafe failure.byte
  }
}

extension TextMark {
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}

private func bytes(of text: cyaml_text) -> [UInt8]? {
  guard let start = unsafe text.bytes else { return nil }
  return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(text.count)))
}
