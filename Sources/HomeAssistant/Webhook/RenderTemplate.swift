public import Bytes

extension Webhook {
  /// Request to render templates. One message can have any number of them.
  public struct RenderTemplate: Message {
    /// Type `render_template`.
    public static let type = MessageType.renderTemplate

    /// Template with the key of its result.
    public struct Template: Equatable, Sendable {
      /// Key of its result.
      public var key: Text
      /// Template in Home Assistant's template language (Jinja).
      public var template: Text
      /// Variables of the template, by name.
      public var variables: JSONObject

      /// Creates a template.
      ///
      /// - Parameters:
      ///   - key: key of its result, unique in a message.
      ///   - template: template in Home Assistant's template language.
      ///   - variables: variables of the template, by name.
      public init(key: Text, _ template: Text, variables: JSONObject = [:]) {
        self.key = key
        self.template = template
        self.variables = variables
      }
    }

    /// Templates in any order; Home Assistant chooses the order of the answer.
    public var templates: [Template]

    /// Creates a request to render these templates.
    public init(_ templates: [Template]) { self.templates = templates }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      for template in templates {
        data.appendJSON(key: template.key.bytes.span)
        data.openJSONObject()
        data.appendJSON(key: "template", template.template)
        if !template.variables.isEmpty { data.appendJSON(key: "variables", template.variables) }
        data.closeJSONObject()
      }
      data.closeJSONObject()
    }

    /// Result of one template.
    public enum Rendering: Equatable, Sendable {
      /// Text, or the number, list or object that the text represents.
      case value(JSON)
      /// Error message of Home Assistant, such as `TemplateSyntaxError: …`.
      case failure(Text)
    }

    /// Reads the result of each template, in the order of the answer.
    ///
    ///     {"sum":5,"name":"Boat","wrong":{"error":"TemplateSyntaxError: …"}}
    ///
    /// A template whose result is an object with nothing but a text `error` looks like a failed
    /// one.
    public static func read(
      _ answer: Span<UInt8>
    ) throws(JSONDecodingError) -> [(key: Text, rendering: Rendering)] {
      let results: JSONObject = try decoding(answer)
      return results.members.map { ($0.key, Rendering($0.value)) }
    }
  }

  /// Smallest message whose answer proves that Home Assistant read it. The answer is checked only
  /// for the challenge.
  public struct Probe: Message {
    /// Type `render_template`.
    public static let type = MessageType.renderTemplate

    /// Challenge for the answer.
    public var challenge: Challenge

    /// Creates a probe with the challenge of the message's nonce.
    public init(_ challenge: Challenge) { self.challenge = challenge }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      challenge.appendTemplate(to: &data)
      data.closeJSONObject()
    }

    /// Whether the answer is the one to this message.
    public func isAnswered(by answer: Span<UInt8>) -> Bool {
      challenge.isRepeated(inResults: answer)
    }
  }
}

extension Webhook.RenderTemplate.Rendering {
  fileprivate init(_ json: JSON) {
    if case .object(let members) = json, members.count == 1, case .text(let words)? = json["error"]
    {
      self = .failure(words)
    } else {
      self = .value(json)
    }
  }
}
