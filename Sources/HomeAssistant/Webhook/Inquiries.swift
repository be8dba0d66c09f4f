public import Bytes

// What a person asks for now and then: the answers are a few members, read as a whole.

extension Webhook {
  /// Asks for the addresses of a camera's pictures.
  public struct StreamCamera: Message {
    /// `stream_camera`
    public static let type = MessageType.streamCamera

    /// Such as `camera.deck`. An entity that does not exist is refused; for one that is no camera
    /// the handler fails.
    public var entityID: Text

    /// Asks for those of this camera.
    public init(entityID: Text) { self.entityID = entityID }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      data.appendJSON(key: "camera_entity_id", entityID)
      data.closeJSONObject()
    }

    /// Paths below the address of Home Assistant; both want a login.
    public struct Paths: Equatable, Sendable, JSONDecodable {
      /// A stream of JPEG pictures.
      public let mjpeg: Text
      /// HTTP Live Streaming, where the camera has it.
      public let hls: Text?

      public init(json: JSON) throws(JSONDecodingError) {
        mjpeg = try json.get("mjpeg_path")
        hls = try json.getIfPresent("hls_path")
      }
    }

    /// Reads the JSON of an answer.
    ///
    /// - Throws: where it is none to this message.
    public static func read(_ answer: Span<UInt8>) throws(JSONDecodingError) -> Paths {
      try decoding(answer)
    }
  }

  /// Says something to Home Assistant's conversation agent.
  public struct Converse: Message {
    /// `conversation_process`
    public static let type = MessageType.conversationProcess

    /// What a person would say.
    public var text: Text
    /// Such as `nl`; without it, the language of the home.
    public var language: Text?
    /// Of the reply that this goes on from.
    public var conversationID: Text?

    /// Something to say, first or as an answer.
    ///
    /// - Parameters:
    ///   - text: what a person would say.
    ///   - language: such as `nl`; without it, the language of the home.
    ///   - conversationID: of the reply that this goes on from.
    public init(_ text: Text, language: Text? = nil, conversationID: Text? = nil) {
      self.text = text
      self.language = language
      self.conversationID = conversationID
    }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      data.appendJSON(key: "text", text)
      data.appendJSON(key: "language", ifPresent: language)
      data.appendJSON(key: "conversation_id", ifPresent: conversationID)
      data.closeJSONObject()
    }

    /// What the conversation agent answers.
    public struct Reply: Equatable, Sendable, JSONDecodable {
      /// What it says; nil where it has nothing to say.
      public let speech: Text?
      /// `action_done`, `query_answer`, `error`, or one of a Home Assistant to come.
      public let responseType: Text
      /// What a next message goes on with.
      public let conversationID: Text?
      /// Whether it waits for more.
      public let isContinued: Bool

      public init(json: JSON) throws(JSONDecodingError) {
        let response: JSONObject = try json.get("response")
        let speech: JSONObject = try response.get("speech", default: [:])
        let plain: JSONObject = try speech.get("plain", default: [:])
        self.speech = try plain.getIfPresent("speech")
        responseType = try response.get("response_type")
        conversationID = try json.getIfPresent("conversation_id")
        isContinued = try json.get("continue_conversation", default: false)
      }
    }

    /// Reads the JSON of an answer.
    ///
    /// - Throws: where it is none to this message.
    public static func read(_ answer: Span<UInt8>) throws(JSONDecodingError) -> Reply {
      try decoding(answer)
    }
  }
}
