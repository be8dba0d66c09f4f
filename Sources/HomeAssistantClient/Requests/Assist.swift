public import Bytes
public import HomeAssistant

/// Stage of a run of Assist, in this order.
public enum AssistStage: Text, Sendable {
  /// Detects the wake word.
  case wakeWord = "wake_word"
  /// Converts speech to text.
  case speechToText = "stt"
  /// Carries out the text's command, and makes an answer.
  case intent
  /// Converts the answer to speech.
  case textToSpeech = "tts"
}

/// Input of a run of Assist.
public enum AssistInput: Equatable, Sendable {
  /// Text of a command.
  case text(Text)
  /// 16-bit mono sound, sent with `AssistEvent.speech`. Home Assistant works with 16 000 hertz
  /// and converts other rates.
  case speech(sampleRateHertz: Int)
}

extension SubscriptionRequest where Self == TypedSubscription<AssistEvent> {
  /// Run of Assist, from speech or text to an answer, whose steps arrive as events. It is not
  /// repeated on another connection.
  ///
  /// The first stage is `.intent` for text, an earlier one for speech. The device is the one that
  /// the person speaks to, which determines the room. By default the pipeline is the preferred one,
  /// and the time limit 5 minutes.
  public static func assist(
    from startStage: AssistStage, to endStage: AssistStage, _ input: AssistInput,
    pipelineID: Text? = nil, conversationID: Text? = nil, deviceID: Text? = nil,
    timeout: Duration? = nil
  ) -> Self {
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
    return TypedSubscription("assist_pipeline/run", payload, isResubscribed: false)
  }
}

extension Request where Self == TypedRequest<AssistPipelines> {
  /// Request for the pipelines of Assist.
  public static var assistPipelines: Self { TypedRequest("assist_pipeline/pipeline/list") }
}
