import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct TemplateTests {
  @Test func aTemplateIsWatchedWithItsErrors() {
    let request: TypedSubscription<TemplateEvent> = .template("{{ 1 }}")
    #expect(request.command == "render_template")
    #expect(
      request.payload == ["template": "{{ 1 }}", "variables": [:], "report_errors": true])
    #expect(request.isResubscribed)
  }

  @Test func variablesAndTheTimeAllowedAreSentInSeconds() {
    let request: TypedSubscription<TemplateEvent> = .template(
      "{{ a }}", variables: ["a": [1, nil]], timeout: .milliseconds(2500), isStrict: true)
    #expect(
      request.payload == [
        "template": "{{ a }}", "variables": ["a": [1, nil]], "timeout": 2.5, "strict": true,
        "report_errors": true,
      ])
    let minute: TypedSubscription<TemplateEvent> = .template("", timeout: .seconds(60))
    #expect(minute.payload["timeout"] == 60)
  }

  @Test func whatATemplateSaysAndDependsOnIsDecoded() throws {
    let event: TemplateEvent = try decode(
      """
      {"result":[1,"on"],"listeners":{"all":true,"time":true,"entities":["sun.sun"],
      "domains":["light"]}}
      """)
    guard case .rendered(let template) = event else {
      Issue.record("\(event)")
      return
    }
    #expect(template.result == [1, "on"])
    #expect(template.listeners.all)
    #expect(template.listeners.time)
    #expect(template.listeners.entities == ["sun.sun"])
    #expect(template.listeners.domains == ["light"])
  }

  @Test func aTemplateThatDependsOnNothingHasNoListeners() throws {
    let template: RenderedTemplate = try decode(#"{"result":null,"listeners":{}}"#)
    #expect(template.result == .null)
    #expect(!template.listeners.all)
    #expect(!template.listeners.time)
    #expect(template.listeners.entities.isEmpty)
    #expect(template.listeners.domains.isEmpty)
    #expect(throws: JSONDecodingError.missingKey("listeners")) {
      try decode(#"{"result":1}"#, as: TemplateEvent.self)
    }
    #expect(throws: JSONDecodingError.missingKey("result")) {
      try decode(#"{"listeners":{}}"#, as: TemplateEvent.self)
    }
  }

  @Test func aTemplateThatCannotBeRenderedSaysWhy() throws {
    let event: TemplateEvent = try decode(
      #"{"error":"ZeroDivisionError: division by zero","level":"ERROR"}"#)
    #expect(event == .failed(message: "ZeroDivisionError: division by zero", level: "ERROR"))
  }
}
