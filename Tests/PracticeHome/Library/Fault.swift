/// A way to misbehave, switched on at run time. It is for clients that must survive the world.
public enum Fault: Sendable, Equatable {
  /// Accept the request and never answer. Nothing is stored.
  case hang
  /// Answer with this status. Nothing is stored.
  case status(Int)
  /// Answer 200 with a login page, as a hotel network does. Nothing is stored.
  case captivePortal
  /// Answer 200 without a body, as Home Assistant does while it starts. Nothing is stored.
  case starting
  /// Forget every registration before each request, as if a person deleted them all.
  case forget
  /// Have no WebSocket, as behind a proxy that knows of none: 404.
  case noWebSocket
  /// Deny each login, as of a user who may log in only in the local network.
  case denied
  /// Store the message, but seal the answer with a key that is not the client's.
  case wrongKey
  /// Answer with what was answered to the message before of the same type, as an on-path attacker
  /// may do who kept it. Nothing is stored.
  case replay
  /// Store the message and answer after a while.
  case slow(Duration)
  /// Store the message and close the connection in the middle of the answer.
  case breakOff
  /// Store the message and answer with more than 1 MiB.
  case huge
  /// Answer in another server's words, as a proxy before Home Assistant does. Nothing is stored. It
  /// has no name of its own, as it is for tests.
  case foreign(status: Int, type: String = "text/html", String, ForeignField? = nil)

  private static let named: [(name: String, fault: Fault)] =
    [("hang", .hang)] + [400, 401, 403, 404, 410, 503].map { ("\($0)", .status($0)) }
    + [
      ("captive-portal", .captivePortal), ("starting", .starting), ("forget", .forget),
      ("no-websocket", .noWebSocket), ("denied", .denied), ("wrong-key", .wrongKey),
      ("slow", .slow(.seconds(3))),
      ("break-off", .breakOff), ("huge", .huge), ("replay", .replay),
    ]

  /// Every name `init(name:)` takes.
  public static let names = named.map(\.name)

  public init?(name: String) {
    guard let fault = Self.named.first(where: { $0.name == name })?.fault else { return nil }
    self = fault
  }

  public var name: String {
    switch self {
    case .status(let status): "\(status)"
    case .slow: "slow"
    case .foreign(let status, _, _, _): "another server's \(status)"
    default: Self.named.first { $0.fault == self }?.name ?? ""
    }
  }

  /// What is answered instead of handling the request; nil if the request is handled.
  var replacement: Answer? {
    switch self {
    case .status(410): .nothing(410)
    case .status(let status): .text(status, "\(status): \(Self.phrase(status))")
    case .captivePortal:
      .page(
        "<!DOCTYPE html><html><body>Welcome to the harbour Wi-Fi. Please sign in.</body></html>\n")
    case .starting, .hang: .nothing(200)
    case .foreign(let status, let type, let text, let field):
      .foreign(status, type: type, text, field)
    case .forget, .noWebSocket, .denied, .wrongKey, .replay, .slow, .breakOff, .huge: nil
    }
  }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 503: "Service Unavailable"
    default: "Fault"
    }
  }
}
