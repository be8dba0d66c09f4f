public import Bytes

/// Runs Assist once: from speech or text to an answer, in steps that come as events.
public struct RunAssist: SubscriptionRequest {
  public typealias Event = AssistEvent
  /// What happens in a run, in this order.
  public enum Stage: Text, Sendable {
    /// It listens for the word that wakes it.
    case wakeWord = "wake_word"
    /// Speech becomes text.
    case speechToText = "stt"
    /// What the text asks for is done, and there is an answer.
    case intent
    /// The answer becomes speech.
    case textToSpeech = "tts"
  }

  /// What the run begins with.
  public enum Input: Equatable, Sendable {
    /// What a person would say.
    case text(Text)
    /// 16-bit mono sound, which `AssistEvent.speech` takes. Home Assistant works with 16 000 hertz
    /// and converts what comes with another rate.
    case speech(sampleRateHertz: Int)
  }

  /// Where the run begins; it must fit `input`.
  public let startStage: Stage
  /// Where the run ends.
  public let endStage: Stage
  /// What the run begins with.
  public let input: Input
  /// The preferred one, where it is nil.
  public var pipelineID: Text?
  /// What goes on here.
  public var conversationID: Text?
  /// From which device the person speaks, in Home Assistant's registry: it tells the room.
  public var deviceID: Text?
  /// How long the run may take; Home Assistant's own limit is 5 minutes, where it is nil.
  public var timeout: Duration?

  /// A run from one stage to another.
  ///
  /// - Parameters:
  ///   - startStage: where the run begins: `.intent` for text, an earlier one for speech.
  ///   - endStage: where the run ends.
  ///   - input: what the run begins with.
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
  /// There is nothing to choose.
  public init() {}
  public var command: Text { "assist_pipeline/pipeline/list" }
}
