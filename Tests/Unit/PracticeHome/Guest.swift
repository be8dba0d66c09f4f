@testable import PracticeHome

/// A client of the core that logs in with a name and a password.
final class Guest {
  static let address = "http://127.0.0.1:8124/"

  var home: Home
  var now = Moment(seconds: 1_795_000_000)
  private(set) var flow = ""

  init(_ change: (inout Household) -> Void = { _ in }) {
    var household = Household()
    change(&household)
    home = Home(household)
  }

  struct Reply: Equatable {
    var status: Int
    var text: String
    var headers: [String: String] = [:]
    var json: JSON { (try? JSONParser.parse(Array(text.utf8))) ?? .null }
  }

  func ask(
    _ method: String, _ path: String, _ body: String = "", type: String? = nil,
    token: String? = nil
  ) -> Reply {
    var headers = token.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
    if let type { headers.append((name: "content-type", value: type)) }
    let response = home.answer(
      Request(method: method, path: path, headers: headers, body: Array(body.utf8)), now: now)
    return Reply(
      status: response.status, text: String(decoding: response.body, as: UTF8.self),
      headers: Dictionary(uniqueKeysWithValues: response.headers.map { ($0.name, $0.value) }))
  }

  /// Asks for the first form.
  @discardableResult
  func begin(_ changes: JSONObject = [:]) -> Reply {
    let content: JSONObject = [
      "client_id": .string(Self.address), "handler": ["homeassistant", nil],
      "redirect_uri": .string(Self.address),
    ]
    let reply = ask("POST", "/auth/login_flow", JSON.object(content.merging(changes)).text)
    flow = reply.json["flow_id"]?.string ?? flow
    return reply
  }

  /// Fills in a form.
  @discardableResult
  func fill(_ fields: JSONObject) -> Reply {
    let content: JSONObject = ["client_id": .string(Self.address)]
    return ask(
      "POST", "/auth/login_flow/\(flow)", JSON.object(content.merging(fields)).text)
  }

  @discardableResult
  func enter(_ password: String = "practice") -> Reply {
    fill(["username": "practice", "password": .string(password)])
  }

  func token(_ fields: [(String, String)]) -> Reply {
    ask(
      "POST", "/auth/token", Self.form(fields), type: "application/x-www-form-urlencoded")
  }

  static func form(_ fields: [(String, String)]) -> String {
    fields.map { name, value in
      let escaped = value.utf8.map { byte in
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":")
          ? "%" + byte.padded(to: 2, radix: 16).uppercased()
          : String(decoding: [byte], as: UTF8.self)
      }
      return name + "=" + escaped.joined()
    }.joined(separator: "&")
  }

  func redeem(_ code: String, as client: String = Guest.address) -> Reply {
    token([("grant_type", "authorization_code"), ("code", code), ("client_id", client)])
  }

  func refresh(_ refreshToken: String, as client: String = Guest.address) -> Reply {
    token([
      ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", client),
    ])
  }

  /// Logs in to the end.
  func logIn() -> (access: String, refresh: String) {
    begin()
    let tokens = redeem(enter().json["result"]?.string ?? "").json
    return (tokens["access_token"]?.string ?? "", tokens["refresh_token"]?.string ?? "")
  }

  /// Whether a token opens the door to the rest.
  func opens(_ token: String) -> Bool {
    ask("GET", "/api/", token: token).status == 200
  }

  var lastRefusal: LoginRefusal? {
    guard case .refused(let refused) = home.journal.last?.event,
      case .login(let refusal) = refused.refusal
    else { return nil }
    return refusal
  }
}
