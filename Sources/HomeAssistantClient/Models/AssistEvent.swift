public import Bytes

/// Step of an Assist run: `run-start`, `stt-end`, `intent-end`, `tts-end`, `run-end`, `error`.
public struct AssistEvent: JSONDecodable, Equatable, Sendable {
  /// Type of the step, which determines the form of `data`.
  public let type: Text
  /// Data of the type; null for some types.
  public let data: JSON
  /// Time of the step; nil if not reported.
  public let time: WallTime?

  public init(json: JSON) throws(JSONDecodingError) {
    type = try json.get("type")
    data = try json.get("data", default: .null)
    time = try json.getIfPresent("timestamp")
  }

  /// Stream for the speech of this run; nil except for the `run-start` of a run with speech.
  public var speech: SpeechStream? {
    let runner: JSON = data.get("runner_data", orOnFailure: .null)
    let handler: Int? = runner.get("stt_binary_handler_id", orOnFailure: nil)
    return handler.flatMap(UInt8.init(exactly:)).map(SpeechStream.init(handler:))
  }

  /// Code and message of an `error`; nil for other steps.
  public var failure: (code: Text, message: Text)? {
    guard type == "error" else { return nil }
    return (data.get("code", orOnFailure: ""), data.get("message", orOnFailure: ""))
  }
}

/// Speech for a run of Assist: binary messages that start with the number of the run's handler.
///
/// The number is invalid on another connection, so these messages are never sent again.
public struct SpeechStream: Equatable, Sendable {
  /// Number of the run's handler on this connection.
  public let handler: UInt8

  /// Creates the stream of a handler; see `AssistEvent.speech`.
  public init(handler: UInt8) { self.handler = handler }

  /// Writes a message with audio, in the format that the run was started with.
  public func write(audio: Span<UInt8>, into message: inout ByteBuffer) {
    precondition(!audio.isEmpty, "a message without audio is the end of the speech")
    message.append(handler)
    message.append(audio)
  }

  /// Writes the message that ends the speech.
  public func writeEnd(into message: inout ByteBuffer) { message.append(handler) }
}

/// Pipelines of Assist.
public struct AssistPipelines: JSONDecodable, Equatable, Sendable {
  /// Pipeline from the settings.
  public struct Pipeline: JSONDecodable, Equatable, Sendable {
    /// Identifier for the `pipelineID` of a run.
    public let id: Text
    /// Name for people.
    public let name: Text
    /// Language, such as `nl`.
    public let language: Text

    public init(json: JSON) throws(JSONDecodingError) {
      id = try json.get("id")
      name = try json.get("name")
      language = try json.get("language")
    }
  }

  /// All pipelines.
  public let pipelines: [Pipeline]
  /// Identifier of the default pipeline.
  public let preferredID: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    pipelines = try json.get("pipelines")
    preferredID = try json.getIfPresent("preferred_pipeline")
  }
}
