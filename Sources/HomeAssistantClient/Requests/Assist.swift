public import Bytes
public import HomeAssistant

/// Run of Assist, from speech or text to an answer, whose steps arrive as events.
public struct RunAssist: SubscriptionRequest {
  public typealias Event = AssistEvent
  /// Stages of a run, in this order.
  public enum Stage: Text, Sendable {
    /// Detects the wake word.
    case wakeWord = "wake_word"
    /// Converts speech to text.
    case speechToText = "stt"
    /// Carries out the text's command, and makes an answer.
    case intent
    /// Converts the answer to speech.
    case textToSpeech = "tts"
  }

  /// Input of a run.
  public enum Input: Equatable, Sendable {
    /// Text of a command.
    case text(Text)
    /// 16-bit mono sound, sent with `AssistEvent.speech`. Home Assistant works with 16 000 hertz
    /// and converts other rates.
    case speech(sampleRateHertz: Int)
  }

  /// First stage; it must fit `input`.
  public let startStage: Stage
  /// Last stage.
  public let endStage: Stage
  /// Input of the run.
  public let input: Input
  /// Pipeline; nil for the preferred one.
  public var pipelineID: Text?
  /// Conversation that the run continues.
  public var conversationID: Text?
  /// Device in Home Assistant's registry that the person speaks to, which determines the room.
  public var deviceID: Text?
  /// Time limit of the run; nil for Home Assistant's limit of 5 minutes.
  public var timeout: Duration?

  /// Creates a run from one stage to another.
  ///
  /// - Parameters:
  ///   - startStage: first stage: `.intent` for text, an earlier one for speech.
  ///   - endStage: last stage.
  ///   - input: input of the run.
  public init(from startStage: Stage, to endStage: Stage, _ input: Input) {
    self.startStage = startStage
    self.endStage = endStage
    self.input = input
  }

  public var command: Text { "assist_pipeline/run" }
  public var payload: JSONObject {
    var payload: JSONObject = [
      "start_stage": .text(startStage.rawValue), "end_stage": .text(endStage.rawValue),
    ]
    switch input {
    case .text(let text): payload["input"] = ["text": .text(text)]
    case .speech(let rate):
      payload["input"] = ["sample_rate": .number(JSONNumber(Int64(rate)))]
    }
    payload["pipeline"] = pipelineID.map { .text($0) }
    payload["conversation_id"] = conversationID.map { .text($0) }
    payload["device_id"] = deviceID.map { .text($0) }
    payload["timeout"] = timeout.map { .seconds($0) }
    return payload
  }

  /// False: speech is not sent again to another connection.
  public var isResubscribed: Bool { false }
}

/// Request for the pipelines of Assist.
public struct GetAssistPipelines: Request {
  public typealias Response = AssistPipelines
  /// Creates the request.
  public init() {}
  public var command: Text { "assist_pipeline/pipeline/list" }
}
