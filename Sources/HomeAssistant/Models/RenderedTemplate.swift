public import Bytes

/// What a template says now, and what it depends on.
public struct RenderedTemplate: JSONDecodable, Equatable, Sendable {
  /// Where a change makes Home Assistant render the template again.
  public struct Listeners: JSONDecodable, Equatable, Sendable {
    /// Any entity.
    public let all: Bool
    /// Every minute.
    public let time: Bool
    /// The ids of these entities.
    public let entities: [Text]
    /// Any entity of these domains.
    public let domains: [Text]

    public init(json: JSON) throws(JSONDecodingError) {
      let members = try json.object()
      all = try members.get("all", default: false)
      time = try members.get("time", default: false)
      entities = try members.get("entities", default: [])
      domains = try members.get("domains", default: [])
    }
  }

  /// Text, or what the template's text reads as: a number, a list, a truth.
  public let result: JSON
  /// Where a change makes Home Assistant render it again.
  public let listeners: Listeners

  public init(json: JSON) throws(JSONDecodingError) {
    result = try json.get("result")
    listeners = try json.get("listeners")
  }
}

/// What happens to a template that is watched.
public enum TemplateEvent: JSONDecodable, Equatable, Sendable {
  /// It says this now.
  case rendered(RenderedTemplate)
  /// Home Assistant cannot render it. `level` is that of its log: `ERROR`, `WARNING`.
  case failed(message: Text, level: Text?)

  public init(json: JSON) throws(JSONDecodingError) {
    guard let message: Text = try json.getIfPresent("error") else {
      self = .rendered(try RenderedTemplate(json: json))
      return
    }
    self = .failed(message: message, level: try json.getIfPresent("level"))
  }
}
