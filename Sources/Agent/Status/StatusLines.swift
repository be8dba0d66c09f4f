import Bytes

/// What people read of how an agent is: a verdict, a subject, and what there is to say of it.
struct StatusLines {
  enum Verdict {
    case well, wrong, neither

    fileprivate var words: StaticString {
      switch self {
      case .well: "ok     "
      case .wrong: "WRONG  "
      case .neither: "       "
      }
    }
  }

  private static let subjectWidth = 17

  private(set) var bytes: [UInt8] = []

  mutating func append(_ verdict: Verdict, _ subject: StaticString, _ text: MessageText) {
    append(verdict.words, subject, width: Self.subjectWidth, text)
  }

  /// More of the line before.
  private mutating func append(more subject: StaticString, _ text: MessageText) {
    append("         ", subject, width: Self.subjectWidth - 2, text)
  }

  private mutating func append(
    _ start: StaticString, _ subject: StaticString, width: Int, _ text: MessageText
  ) {
    bytes += [UInt8](start) + [UInt8](subject)
    bytes += [UInt8](
      repeating: UInt8(ascii: " "), count: max(width - subject.utf8CodeUnitCount, 1))
    bytes += text.bytes
    bytes.append(UInt8(ascii: "\n"))
  }

  // MARK: Subjects

  mutating func append(homeAssistant home: StatusMembers?) {
    guard let home else { return }
    let subject: StaticString = "Home Assistant"
    let proof = home["last_proof"]
    switch home.code("state") {
    case "proven":
      append(
        .well, subject,
        "takes the data; proven \(lengthOfTime: proof?.number("seconds") ?? 0) ago")
      return
    case "untried": append(.neither, subject, "nothing was sent yet")
    case "unregistered":
      append(
        .wrong, subject,
        "does not know this board yet\(home.lasting("since"))")
      if home.has("text") { append(more: "why", home.text("text")) }
    default:
      append(.wrong, subject, "has not shown that it takes the data\(home.lasting("since"))")
      append(more: "why", home.text("text"))
    }
    if home.isTrue("is_registration_doubted") {
      append(more: "what to do", "homeward check; it seems not to know this board any more")
    }
    append(
      more: "last proof",
      proof.map { "\(lengthOfTime: $0.number("seconds")) ago" } ?? "none since the agent runs")
    if home.has("next_attempt") { append(more: "next attempt", home.coming("next_attempt")) }
  }

  mutating func append(routes: [StatusMembers]) {
    let taken = routes.first { $0.code("state") == "taken" }
    if let taken {
      let address: MessageText = taken.has("url") ? ", \(taken.text("url"))" : ""
      append(.well, "route", "\(taken.text("name"))\(address)\(taken.lasting("since"))")
    } else if !routes.isEmpty {
      append(.wrong, "route", "none can be taken now")
    }
    for route in routes where route.code("state") != "taken" {
      append(more: "not taken", "\(route.text("name")): \(Self.words(for: route))")
    }
  }

  private static func words(for route: StatusMembers) -> MessageText {
    switch route.code("state") {
    case "no_address": "Home Assistant told no address"
    case "away": "this board is not at home"
    case "unencrypted": "away from home nothing is sent over plain HTTP"
    case "in_reserve": "in reserve"
    case "due": "it is tried again with the next cycle"
    default:
      "\(route.text("text"))\(route.lasting("since")); tried again \(route.coming("next_attempt"))"
    }
  }

  mutating func append(network: StatusMembers?) {
    guard let network else { return }
    let presence: MessageText
    switch network.code("presence") {
    case "home": presence = "home"
    case "away": presence = "not home"
    default: presence = "not known yet whether this is home"
    }
    append(.neither, "network", presence + Self.words(forPlace: network))
  }

  private static func words(forPlace network: StatusMembers) -> MessageText {
    let interface = network.text("interface")
    switch network.code("kind") {
    case "wireless":
      return network.has("ssid")
        ? ": \(network.text("ssid")), over \(interface)" : ": one without a name, over \(interface)"
    case "wired": return ": by cable, over \(interface)"
    case "none": return ": there is no network"
    case "other": return ": over \(interface)"
    default: return ""
    }
  }

  mutating func append(webSocket: StatusMembers?) {
    guard let webSocket else { return }
    let (subject, time): (StaticString, _) = ("WebSocket", webSocket.lasting("since"))
    switch webSocket.code("state") {
    case "open":
      append(.well, subject, "open to Home Assistant \(webSocket.text("version"))\(time)")
    case "not_wanted":
      append(.neither, subject, "closed\(time): the token is not shown to the network of others")
    case "rejected":
      append(.wrong, subject, "Home Assistant does not accept the token; pair this board again")
    case "failed":
      append(
        .wrong, subject,
        "\(webSocket.text("text"))\(time); tried again \(webSocket.coming("next_attempt"))")
    default: append(.neither, subject, "being opened\(time)")
    }
  }

  mutating func append(waiting: StatusMembers?) {
    guard let waiting else { return }
    let (readings, locations) = (waiting.number("readings"), waiting.number("locations"))
    var text: MessageText = "\(readings) readings, \(locations) locations"
    if readings + locations == 0 { text = "nothing" }
    if waiting.number("superseded") > 0 {
      text = "\(text); \(waiting.number("superseded")) older ones were replaced"
    }
    append(.neither, "waiting", text)
  }

  mutating func append(counts: StatusMembers?) {
    guard let counts else { return }
    append(
      .neither, "since its start",
      "\(counts.number("readings")) readings and \(counts.number("locations")) locations proven,"
        + " \(counts.number("refused")) refused, \(counts.number("superseded")) replaced by newer"
        + " ones")
  }
}
