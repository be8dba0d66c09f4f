public import Bytes

// Data of the messages that a person sends. Their answers need no decoding but the JSON's.

extension Webhook {
  /// Returns the data of a `call_service`, a call with the rights of the user who registered the
  /// device. `data` includes `entity_id`: there is no `target`.
  public static func callService(_ domain: Text, _ service: Text, data: JSONObject = [:]) -> JSON {
    ["domain": .text(domain), "service": .text(service), "service_data": .object(data)]
  }

  /// Maximum length of the type of an event in Unicode scalars. Home Assistant's handler fails on
  /// longer types.
  public static let eventTypeCharacterCountMax = 64

  /// Returns the data of a `fire_event`. The event's own data is always an object: Home Assistant
  /// drops an event with any other data.
  ///
  /// - Throws: `.eventTypeTooLong`, since Home Assistant's handler would fail.
  public static func fireEvent(
    _ type: Text, data: JSONObject = [:]
  ) throws(ArgumentError) -> JSON {
    // Each byte that is not UTF-8 is written as one character.
    let count = type.bytes.characterCount
    guard count <= eventTypeCharacterCountMax else {
      throw .eventTypeTooLong(characterCount: count)
    }
    return ["event_type": .text(type), "event_data": .object(data)]
  }

  /// Returns the data of a `scan_tag`, the report of a tag with this content.
  public static func scanTag(_ id: Text) -> JSON { ["tag_id": .text(id)] }

  /// Returns the data of a `stream_camera`, a request for the addresses of a camera's streams. Home
  /// Assistant refuses an unknown entity; for one that is not a camera its handler fails.
  public static func streamCamera(_ entityID: Text) -> JSON {
    ["camera_entity_id": .text(entityID)]
  }

  /// Returns the data of a `conversation_process`, a sentence for Home Assistant's conversation
  /// agent. `language` and `conversation_id` may be added.
  public static func converse(_ text: Text) -> JSON { ["text": .text(text)] }

  /// Returns the member of a `render_template` for one template; its result has the same key.
  public static func template(_ template: Text, variables: JSONObject = [:]) -> JSON {
    var members: JSONObject = ["template": .text(template)]
    if !variables.isEmpty { members["variables"] = .object(variables) }
    return .object(members)
  }

  /// Returns Home Assistant's error message if the result of a template is one, such as
  /// `{"error":"TemplateSyntaxError: …"}`. A result with nothing but a text `error` looks the same.
  public static func templateError(_ result: JSON) -> Text? {
    guard case .object(let members) = result, members.count == 1,
      case .text(let words)? = members["error"]
    else { return nil }
    return words
  }
}
