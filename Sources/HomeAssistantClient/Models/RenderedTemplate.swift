public import Bytes

/// Rendered text of a template, and its dependencies.
public struct RenderedTemplate: JSONDecodable, Equatable, Sendable {
  /// Changes after which Home Assistant renders the template again.
  public struct Listeners: JSONDecodable, Equatable, Sendable {
    /// Whether any entity counts.
    public let all: Bool
    /// Whether the template is rendered every minute.
    public let time: Bool
    /// Identifiers of these entities.
    public let entities: [Text]
    /// Domains of which any entity counts.
    public let domains: [Text]

    public init(json: JSON) throws(JSONDecodingError) {
      let members = try json.object()
      all = try members.get("all", default: false)
      time = try members.get("time", default: false)
      entities = try members.get("entities", default: [])
      domains = try members.get("domains", default: [])
    }
  }

  /// Text, or the parsed value of the text: a number, a list, a boolean.
  public let result: JSON
  /// Changes after which Home Assistant renders the template again.
  public let listeners: Listeners

  public init(json: JSON) throws(JSONDecodingError) {
    result = try json.get("result")
    listeners = try json.get("listeners")
  }
}

/// Event of a template subscription.
public enum TemplateEvent: JSONDecodable, Equatable, Sendable {
  /// New result.
  case rendered(RenderedTemplate)
  /// Home Assistant cannot render the template. `level` is its log level: `ERROR`, `WARNING`.
  case failed(message: Text, level: Text?)

  public init(json: JSON) throws(JSONDecodingError) {
    guard let message: Text = try json.getIfPresent("error") else {
      self = .rendered(try RenderedTemplate(json: json))
      return
    }
    self = .failed(message: message, level: try json.getIfPresent("level"))
  }
}
