import Foundation

/// What one webhook message came back with: the classes that a client must tell apart, because
/// the status alone proves nothing.
enum Answer: Equatable, Sendable {
  /// An envelope that opens with the registration's key, and what was in it.
  case sealed(Int, JSON)
  /// An envelope that does not open with the registration's key.
  case unreadable(Int)
  /// JSON in clear.
  case plain(Int, JSON)
  /// Not a byte.
  case nothing(Int)
  /// Anything else.
  case other(Response)

  /// 200 and `{}`: stored, or dropped without a word. Which of them, the answer does not tell.
  static let emptyObject = Answer.plain(200, [:])
  /// 200 without a byte: no device has this address, or the handler failed.
  static let nobody = Answer.nothing(200)
  /// The body was not JSON.
  static let invalidJSON = Answer.plain(400, [:])

  init(_ response: Response, openedWith box: Secretbox?) {
    if response.body.isEmpty {
      self = .nothing(response.status)
    } else if response.contentType?.hasPrefix("application/json") == true, let json = response.json
    {
      self.init(response.status, json, openedWith: box)
    } else {
      self = .other(response)
    }
  }

  private init(_ status: Int, _ json: JSON, openedWith box: Secretbox?) {
    guard json["encrypted"] == true, case .string(let text) = json["encrypted_data"] else {
      self = .plain(status, json)
      return
    }
    let content = box?.open(text).flatMap(JSON.init(parsing:))
    self = content.map { .sealed(status, $0) } ?? .unreadable(status)
  }

  /// The code of a refusal such as `{"success":false,"error":{"code":…}}`.
  var errorCode: String? {
    guard case .plain(_, let json) = self else { return nil }
    return json["error"]["code"].text
  }

  /// What was in the envelope, or `.absent`.
  var content: JSON {
    guard case .sealed(_, let json) = self else { return .absent }
    return json
  }
}
