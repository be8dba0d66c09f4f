public import Bytes
public import Sensing

/// Remedies for the failures of a source, with a command if there is one.
public struct SourceRemedies: Sendable {
  /// Name of the source.
  public let source: InlineText
  /// Whether the configuration names what the source reads: a missing device may have a wrong name.
  public let isNamedByPerson: Bool
  private let remedy: @Sendable (SourceFailure) -> MessageText

  init(
    of source: InlineText, isNamedByPerson: Bool,
    _ remedy: @escaping @Sendable (SourceFailure) -> MessageText
  ) {
    self.source = source
    self.isNamedByPerson = isNamedByPerson
    self.remedy = remedy
  }

  /// Whether the source has a part with this name, such as `T of serial0`; a long name is cut.
  public func areAbout(partCalled part: InlineText) -> Bool {
    let text = part.bytes
    for start in text.indices where text.extracting(start...).starts(with: " of ") {
      let name = text.extracting((start + 4)...)
      return !name.isEmpty && source.bytes.starts(with: name)
    }
    return false
  }

  public func remedy(for failure: SourceFailure) -> MessageText {
    switch failure {
    case .notPermitted:
      "let the agent read it: sudo adduser homeward GROUP, where GROUP owns it (ls -l)"
    case .unsupported(_, let remedy), .distrusted(_, _, let remedy): "\(remedy.text)"
    case .intermittent(let failure):
      "first check its cable, plugs and supply; otherwise \(self.remedy(for: failure))"
    default: remedy(failure)
    }
  }
}
