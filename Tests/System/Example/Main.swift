import HomeAssistantAsync

/// What the library is like to use: says who answers, talks to it, and watches some entities.
@main struct Example {
  static let usage = """
    usage: example URL TOKEN [DOMAIN]

    Shows the entities of a domain (sun, where none is named) and their next three changes.
    Make a long-lived access token in Home Assistant: your profile, Security.
    """

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    guard (2...3).contains(arguments.count) else { return print(usage) }
    do {
      let home = try AsyncClient(address: arguments[0], accessToken: arguments[1])
      try await introduce(home)
      try await talk(to: home)
      try await watch(arguments.count == 3 ? arguments[2] : "sun", in: home)
      await home.close()
    } catch let error as RequestError {
      print(explanation(of: error))
    } catch {
      print("There is no client: \(error)")
    }
  }

  /// A command of the WebSocket and its answer. The first one connects.
  static func introduce(_ home: AsyncClient) async throws(RequestError) {
    let config = try await home.send(.config)
    let user = try await home.send(.currentUser)
    print("Home Assistant \(config.version) of \(config.locationName)")
    print("Logged in as \(user.name ?? "a user without a name")")
  }

  /// A service that answers.
  static func talk(to home: AsyncClient) async throws(RequestError) {
    let answer = try await home.callService(
      "conversation", "process", data: ["text": "How are you?"], wantsResponse: true)
    print("It says: \(speech(in: answer) ?? "nothing")")
  }

  static func speech(in answer: JSON?) -> String? {
    answer?["response"]?["speech"]?["plain"]?["speech"]?.string
  }

  /// A subscription, which outlives restarts of Home Assistant. The end of the loop ends it.
  static func watch(_ domain: String, in home: AsyncClient) async throws(RequestError) {
    // First the subscription, then the states: no change falls between the two.
    let changes = await home.events(of: .stateChanges)
    for entity in try await home.entities(in: domain) {
      print("\(entity.id) is \(entity.state)")
    }
    var count = 0
    for try await change in changes where change.entityID.domain == domain {
      print("\(change.entityID) becomes \(change.newState?.state ?? "nothing")")
      count += 1
      if count == 3 { break }
    }
  }

  static func explanation(of error: RequestError) -> String {
    switch error {
    case .rejected: "Home Assistant does not accept the token."
    case .server(_, let message): "Home Assistant says: \(message)"
    case .expired: "Home Assistant does not answer."
    default: "It did not work: \(error)"
    }
  }
}
