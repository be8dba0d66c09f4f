public import Bytes

// Messages of occasional requests by people: their answers are small and are decoded as a whole.

extension Webhook {
  /// Request for the addresses of a camera's streams.
  public struct StreamCamera: Message {
    /// Type `stream_camera`.
    public static let type = MessageType.streamCamera

    /// Camera, such as `camera.deck`. Home Assistant refuses an unknown entity; for one that is not
    /// a camera its handler fails.
    public var entityID: Text

    /// Creates a request for this camera.
    public init(entityID: Text) { self.entityID = entityID }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      data.appendJSON(key: "camera_entity_id", entityID)
      data.closeJSONObject()
    }

    /// Paths below the address of Home Assistant; both need a login.
    public struct Paths: Equatable, Sendable, JSONDecodable {
      /// Path of a stream of JPEG pictures.
      public let mjpeg: Text
      /// Path of HTTP Live Streaming, if the camera supports it.
      public let hls: Text?

      public init(json: JSON) throws(JSONDecodingError) {
        mjpeg = try json.get("mjpeg_path")
        hls = try json.getIfPresent("hls_path")
      }
    }

    /// Reads the JSON of an answer.
    ///
    /// - Throws: `JSONDecodingError` if it does not answer this message.
    public static func read(_ answer: Span<UInt8>) throws(JSONDecodingError) -> Paths {
      try decoding(answer)
    }
  }

  /// Text for Home Assistant's conversation agent.
  public struct Converse: Message {
    /// Type `conversation_process`.
    public static let type = MessageType.conversationProcess

    /// Text of a person.
    public var text: Text
    /// Language, such as `nl`; nil for the language of the home.
    public var language: Text?
    /// Conversation to continue, from an earlier reply.
    public var conversationID: Text?

    /// Creates a message that begins or continues a conversation.
    ///
    /// - Parameters:
    ///   - text: text of a person.
    ///   - language: language, such as `nl`; nil for the language of the home.
    ///   - conversationID: conversation to continue, from an earlier reply.
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

    /// Reply of the conversation agent.
    public struct Reply: Equatable, Sendable, JSONDecodable {
      /// Spoken text; nil if there is none.
      public let speech: Text?
      /// Type: `action_done`, `query_answer`, `error`, or one of a future Home Assistant.
      public let responseType: Text
      /// Identifier for a next message.
      public let conversationID: Text?
      /// Whether the agent waits for a next message.
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
    /// - Throws: `JSONDecodingError` if it does not answer this message.
    public static func read(_ answer: Span<UInt8>) throws(JSONDecodingError) -> Reply {
      try decoding(answer)
    }
  }
}
