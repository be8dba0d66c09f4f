import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

/// Calls of the REST API.
@Suite struct ClientRESTTests {
  private let rig = ClientRig()

  /// What a call is, as one line.
  private func line(_ request: RawRESTRequest) -> String {
    let rig = ClientRig()
    rig.client.send(request) { _ in }
    guard case .sentHTTP(let call) = rig.driver.deeds.first else { return "nothing" }
    let body = call.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
    return "\(call.method.name) \(String(decoding: call.target, as: UTF8.self))\(body)"
  }

  @Test func aCallIsAMethodAPathAQueryAndABody() {
    #expect(
      line(RawRESTRequest(.get, "states/sun.sun", body: ["a": 1])) == "GET /api/states/sun.sun",
      "a GET has no body")
    #expect(
      line(RawRESTRequest(.post, "template", body: ["template": "{{ 1 }}"]))
        == #"POST /api/template {"template":"{{ 1 }}"}"#)
    #expect(
      line(
        RawRESTRequest(
          .post, "services/todo/get_items", query: [("return_response", "true"), ("b", "")],
          body: [:]))
        == "POST /api/services/todo/get_items?return_response=true&b= {}")
    #expect(line(RawRESTRequest(.delete, "states/a.b")) == "DELETE /api/states/a.b")
    for method in [.put, .patch, .head, .options] as [HTTPMethod] {
      #expect(line(RawRESTRequest(method, "x")) == "\(method.name) /api/x")
    }
  }

  @Test func whatIsNoPathIsNotMistakenForTheRest() {
    #expect(
      line(RawRESTRequest(.get, "a b/é?x#y%2F", query: [("k&=", "v +/?é")]))
        == "GET /api/a%20b/%C3%A9%3Fx%23y%252F?k%26%3D=v%20%2B%2F%3F%C3%A9")
  }

  @Test(
    arguments: [
      ("", #"{"a":1}"#, ["a": 1]), ("application/json", "5", 5),
      ("application/json; charset=utf-8", "[true]", [true]),
      ("Application/JSON ;charset=UTF-8", "null", nil), ("application/problem+json", "{}", [:]),
      ("application/json", "", nil), ("", "", nil), ("text/plain", "on", "on"),
      ("text/plain", "", ""), ("application/octet-stream", "{}", "{}"),
      ("application/jsonp", "{}", "{}"),
    ] as [(String, String, JSON)])
  func anAnswerIsJSONOrAText(mediaType: String, body: String, expected: JSON) {
    var results: [ClientRig.Outcome] = []
    let id = rig.client.send(RawRESTRequest(.get, "x")) { results.append($0) }
    rig.driver.answerHTTP(id, status: 201, mediaType: mediaType, body: body)
    rig.driver.answerHTTP(id, body: "5")
    #expect(results == [.success(expected)])
  }

  @Test func jsonThatIsNoneIsADecodingError() {
    var results: [ClientRig.Outcome] = []
    let id = rig.client.send(RawRESTRequest(.get, "x")) { results.append($0) }
    rig.driver.answerHTTP(id, body: "{")
    guard case .failure(.decoding(.malformed)) = results.first else {
      Issue.record("it was taken for JSON")
      return
    }
  }

  @Test(arguments: [199, 301, 304, 400, 401, 404, 500, 503])
  func aStatusThatIsNoSuccessIsAnErrorWithItsBody(status: Int) {
    var results: [Result<NoContent, RequestError>] = []
    let id = rig.client.send(Forget()) { results.append($0) }
    rig.driver.answerHTTP(id, status: status, mediaType: "text/plain", body: "words")
    #expect(results == [.failure(.http(status: status, body: "words"))])
  }

  @Test(arguments: [.transport("no route"), .rejected, .expired] as [RequestError])
  func whyThereIsNoAnswerIsToldOnce(error: RequestError) {
    var results: [ClientRig.Outcome] = []
    let id = rig.client.send(RawRESTRequest(.get, "x")) { results.append($0) }
    rig.driver.failHTTP(id, error)
    rig.driver.failHTTP(id, error)
    #expect(results == [.failure(error)])
  }

  @Test func aCallIsOutsideTheLifeOfTheConnection() {
    let rig = ClientRig(isReady: true)
    var results: [ClientRig.Outcome] = []
    let id = rig.client.send(RawRESTRequest(.get, "x")) { results.append($0) }
    rig.driver.advance(by: .seconds(61))
    rig.reconnect()
    rig.client.disconnect()
    #expect(results.isEmpty)
    rig.driver.answerHTTP(id, body: "5")
    #expect(results == [.success(5)])
    #expect(rig.driver.deeds.filter { if case .sentHTTP = $0 { true } else { false } }.count == 1)
  }

  @Test func aCancelledCallIsGivenUpAndNothingIsToldOfIt() {
    var results: [ClientRig.Outcome] = []
    let id = rig.client.send(RawRESTRequest(.get, "x")) { results.append($0) }
    rig.client.cancel(id)
    rig.client.cancel(id)
    #expect(rig.driver.deeds.last == .cancelledHTTP(id))
    #expect(rig.driver.deeds.count == 2)
    rig.driver.answerHTTP(id, body: "5")
    #expect(results.isEmpty)
  }

  private struct Forget: RESTRequest {
    let method = HTTPMethod.post
    let path: Text = "services/light/turn_on"
  }
}
