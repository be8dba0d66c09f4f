import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct AssistTests {
  private typealias Run = TypedSubscription<AssistEvent>

  @Test func aRunSaysWhereItBeginsAndEndsAndWithWhat() {
    let request: Run = .assist(from: .intent, to: .textToSpeech, .text("pump on"))
    #expect(request.command == "assist_pipeline/run")
    #expect(!request.isResubscribed)
    #expect(
      request.payload == [
        "start_stage": "intent", "end_stage": "tts", "input": ["text": "pump on"],
      ])
    let speech: Run = .assist(
      from: .speechToText, to: .intent, .speech(sampleRateHertz: 16000), pipelineID: "p",
      conversationID: "c", deviceID: "d", timeout: .seconds(30))
    #expect(
      speech.payload == [
        "start_stage": "stt", "end_stage": "intent", "input": ["sample_rate": 16000],
        "pipeline": "p", "conversation_id": "c", "device_id": "d", "timeout": 30,
      ])
  }

  @Test func theRunNamesWhereSpeechGoes() throws {
    func speech(_ handler: String) throws -> SpeechStream? {
      let event: AssistEvent = try decode(
        """
        {"type":"run-start","data":{"pipeline":"p","language":"en",
        "runner_data":{"stt_binary_handler_id":\(handler),"timeout":10}},
        "timestamp":"2026-11-21T14:53:08.505814+00:00"}
        """)
      return event.speech
    }
    #expect(try speech("3") == SpeechStream(handler: 3))
    #expect(try speech("null") == nil)
    #expect(try speech("256") == nil)
    let end: AssistEvent = try decode(#"{"type":"run-end","data":null}"#)
    #expect(end.speech == nil)
    #expect(end.data == .null)
    #expect(end.failure == nil)
  }

  @Test func aRunThatFailsSaysWhy() throws {
    let event: AssistEvent = try decode(
      #"{"type":"error","data":{"code":"stt-no-text-recognized","message":"No text"}}"#)
    #expect(event.failure?.code == "stt-no-text-recognized")
    #expect(event.failure?.message == "No text")
  }

  @Test func audioFollowsItsHandlersByteAndTheByteAloneIsTheEnd() {
    var message = ByteBuffer(capacity: 16)
    let audio: [UInt8] = [7, 0, 255]
    SpeechStream(handler: 9).write(audio: audio.span, into: &message)
    #expect([UInt8](message.bytes) == [9, 7, 0, 255])
    message.removeAll()
    SpeechStream(handler: 9).writeEnd(into: &message)
    #expect([UInt8](message.bytes) == [9])
  }

  @Test func pipelinesAreListed() throws {
    let list: AssistPipelines = try decode(
      """
      {"pipelines":[{"conversation_engine":"e","language":"en","name":"Home Assistant",
      "stt_engine":null,"id":"p1"}],"preferred_pipeline":"p1"}
      """)
    #expect(list.pipelines.map(\.id) == ["p1"])
    #expect(list.preferredID == "p1")
  }
}
