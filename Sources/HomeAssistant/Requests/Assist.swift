public import Bytes

/// Runs Assist once: from speech or text to an answer, in steps that come as events.
public struct RunAssist: SubscriptionRequest {
  public typealias Event = AssistEvent
  public enum Stage: Text, Sendable {
    case wakeWord = "wake_word"
    case speechToText = "stt"
    case intent
    case textToSpeech = "tts"
  }

  /// What the run begins with.
  public enum Input: Equatable, Sendable {
    case text(Text)
    /// 16-bit mono sound, which `AssistEvent.speech` takes. Home Assistant works with 16 000 hertz
    /// and converts what comes with another rate.
    case speech(sampleRateHertz: Int)
  }

  public let startStage: Stage
  public let endStage: Stage
  public let input: Input
  /// The preferred one, where it is nil.
  public var pipelineID: Text?
  /// What goes on here.
  public var conversationID: Text?
  public var deviceID: Text?
  public var timeout: Duration?

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

  /// What was said is not said again to another connection.
  public var isResubscribed: Bool { false }
}

/// The ways in which Assist is set up.
public struct GetAssistPipelines: Request {
  public typealias Response = AssistPipelines
  public init() {}
  public var command: Text { "assist_pipeline/pipeline/list" }
}
