import Bytes

/// Answer of `/auth/login_flow`.
enum LoginAnswer {
  /// A further step. `refusal` is the reason that the last answer was refused: a wrong password is
  /// HTTP 200.
  case step(flowID: Text, LoginStep, refusal: Text?)
  /// Code for a refresh token, valid once and for ten minutes.
  case code(Text)
  case failed(LoginError)

  /// Maximum number of modules; Home Assistant has two kinds.
  static let modulesMax = 8
  private static let flowIDByteCountMax = 128

  static func read(_ head: AnswerHead, body: Span<UInt8>) -> LoginAnswer {
    let json = try? JSON(parsing: body)
    // Home Assistant's own message; an answer of a proxy, or to a banned address, has none.
    let message = json.flatMap { try? $0.get("message", as: Text.self) }
    switch head.status {
    case 200: if let answer = json.flatMap(read) { return answer }
    case 400, 403: if let message { return .failed(.refused(message)) }
    case 404 where message != nil: return .failed(.flowEnded)
    default: break
    }
    return .failed(.server(ServerRefusal(head, body)))
  }

  private static func read(_ json: JSON) -> LoginAnswer? {
    switch json.get("type", orOnFailure: "" as Text) {
    case "create_entry": (try? json.get("result", as: Text.self)).map { .code($0) }
    case "abort": (try? json.get("reason", as: Text.self)).map { .failed(.aborted($0)) }
    case "form": readForm(json)
    default: nil
    }
  }

  private static func readForm(_ json: JSON) -> LoginAnswer? {
    guard let flowID = try? json.get("flow_id", as: Text.self), isPathComponent(flowID) else {
      return nil
    }
    let refusal = json["errors"]?.get("base", orOnFailure: nil as Text?) ?? nil
    switch json.get("step_id", orOnFailure: "" as Text) {
    case "init": return .step(flowID: flowID, .credentials, refusal: refusal)
    case "mfa":
      let placeholders = json["description_placeholders"]
      let module = placeholders?.get("mfa_module_name", orOnFailure: "" as Text) ?? ""
      return .step(flowID: flowID, .code(module: module), refusal: refusal)
    case "select_mfa_module":
      let modules = readModules(json)
      guard !modules.isEmpty else { return nil }
      return .step(flowID: flowID, .module(modules), refusal: refusal)
    case let other: return .failed(.unknownStep(other))
    }
  }

  /// Reads `"data_schema": [{"type": "select", "options": [["totp", "Authenticator app"], …], …}]`.
  private static func readModules(_ json: JSON) -> [LoginModule] {
    guard case .array(let fields)? = json["data_schema"],
      case .array(let options)? = fields.first?["options"]
    else { return [] }
    var modules: [LoginModule] = []
    for option in options.prefix(modulesMax) {
      guard case .array(let pair) = option, pair.count == 2, case .text(let id) = pair[0],
        case .text(let name) = pair[1]
      else { continue }
      modules.append(LoginModule(id: id, name: name))
    }
    return modules
  }

  private static func isPathComponent(_ text: Text) -> Bool {
    (1...flowIDByteCountMax).contains(text.bytes.count) && text.bytes.allSatisfy { $0.isPathSafe }
  }
}
