public import Bytes

extension Webhook {
  /// Has Home Assistant work out templates. One message takes as many as it can hold.
  public struct RenderTemplate: Message {
    /// `render_template`
    public static let type = MessageType.renderTemplate

    /// One template, and what its result is found by.
    public struct Template: Equatable, Sendable {
      /// What its result is found by.
      public var key: Text
      /// In Home Assistant's language for templates (Jinja).
      public var template: Text
      /// What the template can call by name.
      public var variables: JSONObject

      /// A template, and what it is to be called.
      ///
      /// - Parameters:
      ///   - key: what its result is found by; another one for each template of a message.
      ///   - template: in Home Assistant's language for templates.
      ///   - variables: what the template can call by name.
      public init(key: Text, _ template: Text, variables: JSONObject = [:]) {
        self.key = key
        self.template = template
        self.variables = variables
      }
    }

    /// In any order; the answer has that of Home Assistant.
    public var templates: [Template]

    /// Asks for all of these at once.
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

    /// What came of one template.
    public enum Rendering: Equatable, Sendable {
      /// Text, or the number, list or object that the text reads as.
      case value(JSON)
      /// Home Assistant's words, such as `TemplateSyntaxError: …`.
      case failure(Text)
    }

    /// Reads what came of each template, in the order of the answer.
    ///
    ///     {"sum":5,"name":"Boat","wrong":{"error":"TemplateSyntaxError: …"}}
    ///
    /// A template that itself makes an object of nothing but a text `error` cannot be told from
    /// one that failed.
    public static func read(
      _ answer: Span<UInt8>
    ) throws(JSONDecodingError) -> [(key: Text, rendering: Rendering)] {
      let results: JSONObject = try decoding(answer)
      return results.members.map { ($0.key, Rendering($0.value)) }
    }
  }

  /// The smallest message whose answer proves that Home Assistant read it: nothing else of an
  /// answer is looked at but whether it is one to this message.
  public struct Probe: Message {
    /// `render_template`
    public static let type = MessageType.renderTemplate

    /// What the answer has to repeat.
    public var challenge: Challenge

    /// Asks for an answer that repeats the challenge of the nonce that the message is sealed with.
    public init(_ challenge: Challenge) { self.challenge = challenge }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      challenge.appendTemplate(to: &data)
      data.closeJSONObject()
    }

    /// Whether the answer is that to this message.
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
