import Bytes
import HomeAssistant
import HomeAssistantTesting

/// A client on a scripted driver, and a note of all that it told.
final class ClientRig {
  typealias Outcome = Result<JSON, RequestError>

  /// Nothing is sent but what a test asks for, so the numbers of messages begin with 1.
  static var plain: SessionPolicy {
    var policy = SessionPolicy()
    policy.coalescesMessages = false
    return policy
  }

  let driver = ScriptedDriver()
  let client: Client
  private(set) var states: [ConnectionState] = []
  private(set) var outcomes: [(command: Text, outcome: Outcome)] = []
  private(set) var starts: [Result<NoContent, RequestError>] = []
  private(set) var events: [Outcome] = []

  init(
    policy: SessionPolicy = ClientRig.plain, isReady: Bool = false, isConnecting: Bool = false
  ) {
    client = driver.makeClient(policy: policy)
    client.observe { [unowned self] in states.append($0) }.detach()
    if isReady { connect() }
    if isConnecting { client.connect() }
  }

  /// From wherever it is to ready, with nothing noted.
  func connect() {
    client.connect()
    driver.acceptConnection()
    forget()
  }

  /// The connection breaks, and at once there is another one.
  func reconnect() {
    driver.endConnection()
    client.networkChanged()
    driver.acceptConnection()
  }

  func forget() {
    driver.removeDeeds()
    states = []
  }

  @discardableResult
  func send(_ command: Text, retry: Retry = .within(.seconds(10))) -> RequestID {
    client.send(RawRequest(command, retry: retry)) { [unowned self] in
      outcomes.append((command, $0))
    }
  }

  func subscribe(_ command: Text, isResubscribed: Bool = true) -> Subscription {
    client.subscribe(
      RawSubscription(command, isResubscribed: isResubscribed),
      onStart: { [unowned self] in starts.append($0) },
      onEvent: { [unowned self] in events.append($0) })
  }

  /// What became of the requests, in words: `get_config: 5`, `ping: expired`.
  var endings: [String] {
    outcomes.map { outcome in
      switch outcome.outcome {
      case .success(let json):
        "\(outcome.command): \(String(decoding: json.serialized(), as: UTF8.self))"
      case .failure(let error): "\(outcome.command): \(error)"
      }
    }
  }

  /// The messages of a type that were sent, by their numbers.
  func ids(of type: Text) -> [Int64] {
    driver.messages.filter { $0["type"] == .text(type) }.map { $0.get("id", orOnFailure: 0) }
  }
}

extension ScriptedDriver {
  /// Opens the connection, over which the token goes out.
  func showToken() {
    openConnection()
    giveToken()
  }
}

extension ConnectionState {
  /// The first word of each state, for tests of their order.
  var word: String {
    switch self {
    case .down(.idle): "idle"
    case .down(.rejected): "rejected"
    case .down(.retrying): "retrying"
    case .connecting: "connecting"
    case .authenticating: "authenticating"
    case .ready: "ready"
    }
  }

  var cause: ConnectionFailure? {
    if case .down(.retrying(_, _, let cause)) = self { cause } else { nil }
  }

  var attempt: Int? {
    if case .down(.retrying(let attempt, _, _)) = self { attempt } else { nil }
  }
}
