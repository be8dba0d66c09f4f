public import Bytes

/// A step of a run of Assist: `run-start`, `stt-end`, `intent-end`, `tts-end`, `run-end`, `error`.
public struct AssistEvent: JSONDecodable, Equatable, Sendable {
  /// Which step it is; the name of `data`'s form.
  public let type: Text
  /// Each type has its own; null of some.
  public let data: JSON
  /// When it happened; nil where Home Assistant does not say.
  public let time: WallTime?

  public init(json: JSON) throws(JSONDecodingError) {
    type = try json.get("type")
    data = try json.get("data", default: .null)
    time = try json.getIfPresent("timestamp")
  }

  /// Where speech for this run goes; nil of all but `run-start`, and of a run without speech.
  public var speech: SpeechStream? {
    let runner: JSON = data.get("runner_data", orOnFailure: .null)
    let handler: Int? = runner.get("stt_binary_handler_id", orOnFailure: nil)
    return handler.flatMap(UInt8.init(exactly:)).map(SpeechStream.init(handler:))
  }

  /// What went wrong, of an `error`.
  public var failure: (code: Text, message: Text)? {
    guard type == "error" else { return nil }
    return (data.get("code", orOnFailure: ""), data.get("message", orOnFailure: ""))
  }
}

/// Speech for a run of Assist: binary messages of which the first byte names the run's handler.
///
/// The number is worth nothing on another connection, so these messages are never sent again.
public struct SpeechStream: Equatable, Sendable {
  /// The number of the run's handler on this connection.
  public let handler: UInt8

  /// The stream to a handler, of `AssistEvent.speech`.
  public init(handler: UInt8) { self.handler = handler }

  /// Writes the message that carries some audio, in the format that the run was started with.
  public func write(audio: Span<UInt8>, into message: inout ByteBuffer) {
    precondition(!audio.isEmpty, "a message without audio is the end of the speech")
    message.append(handler)
    message.append(audio)
  }

  /// Writes the message that says that nothing follows.
  public func writeEnd(into message: inout ByteBuffer) { message.append(handler) }
}

/// A way in which Assist can be set up.
public struct AssistPipelines: JSONDecodable, Equatable, Sendable {
  /// One way, as it stands in the settings.
  public struct Pipeline: JSONDecodable, Equatable, Sendable {
    /// What a run is started with: `RunAssist.pipelineID`.
    public let id: Text
    /// What people call it.
    public let name: Text
    /// Such as `nl`.
    public let language: Text

    public init(json: JSON) throws(JSONDecodingError) {
      id = try json.get("id")
      name = try json.get("name")
      language = try json.get("language")
    }
  }

  /// All of them.
  public let pipelines: [Pipeline]
  /// The id of the one that is used where none is named.
  public let preferredID: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    pipelines = try json.get("pipelines")
    preferredID = try json.getIfPresent("preferred_pipeline")
  }
}
