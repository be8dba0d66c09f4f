import Bytes

/// What an agent told of itself, a `StatusReport`, as the other side reads it. What it does not know
/// it leaves out, so that it understands an older agent and a newer one.
struct AgentStatus {
  /// As it came: a line of JSON.
  let document: [UInt8]
  /// Whether Home Assistant takes the data.
  let isWell: Bool
  private let root: StatusMembers

  /// Nil where it is not what an agent tells.
  init?(document: [UInt8]) {
    guard case .object(let members)? = try? JSON(parsing: document.span),
      case .boolean(let isWell)? = members["is_well"]
    else { return nil }
    self.document = document
    self.isWell = isWell
    root = StatusMembers(members)
  }

  /// For people: what is well, what is wrong, and what is neither.
  ///
  ///     ok     Home Assistant   takes the data; proven 4 s ago
  ///     ok     route            home_assistant.url, http://192.168.1.5:8123, for 3 min 5 s
  ///              not taken      the webhook in the cloud: Home Assistant told no address
  ///            waiting          nothing
  var lines: [UInt8] {
    var lines = StatusLines()
    lines.append(homeAssistant: root["home_assistant"])
    lines.append(routes: root.list("routes"))
    lines.append(network: root["network"])
    lines.append(webSocket: root["websocket"])
    lines.append(waiting: root["waiting"])
    lines.append(counts: root["counts"])
    for source in root.list("failing_sources") {
      lines.append(.wrong, "source", "\(source.text("text"))\(source.lasting("since"))")
    }
    let hidden = root.number("failing_source_count") - root.list("failing_sources").count
    if hidden > 0 { lines.append(.wrong, "source", "\(hidden) more of them fail") }
    lines.append(
      .neither, "agent",
      "homeward \(root.text("version"))\(root.lasting("started")); the next cycle is"
        + " \(root.coming("next_cycle"))")
    return lines.bytes
  }
}

/// An object of the document. What is missing in it is nothing.
struct StatusMembers {
  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  subscript(_ key: Text) -> StatusMembers? {
    guard case .object(let members)? = object[key] else { return nil }
    return StatusMembers(members)
  }

  func list(_ key: Text) -> [StatusMembers] {
    guard case .array(let elements)? = object[key] else { return [] }
    return elements.compactMap {
      if case .object(let members) = $0 { StatusMembers(members) } else { nil }
    }
  }

  func number(_ key: Text) -> Int { Int(clamping: object.get(key, orOnFailure: Int64(0))) }

  func isTrue(_ key: Text) -> Bool { object[key] == .boolean(true) }

  func has(_ key: Text) -> Bool { object[key] != nil }

  /// Fit for a terminal.
  func text(_ key: Text) -> MessageText {
    guard case .text(let text)? = object[key] else { return "" }
    return MessageText(bytes: text.bytes.printable)
  }

  func code(_ key: Text) -> Text {
    guard case .text(let text)? = object[key] else { return "" }
    return text
  }

  // MARK: Moments

  /// How long something has lasted, behind what lasts: `, for 3 min 5 s`.
  func lasting(_ key: Text) -> MessageText {
    self[key].map { ", for \(lengthOfTime: $0.number("seconds"))" } ?? ""
  }

  /// When something comes: `in 4 s`, or `now`.
  func coming(_ key: Text) -> MessageText {
    guard let seconds = self[key]?.number("seconds"), seconds > 0 else { return "now" }
    return "in \(lengthOfTime: seconds)"
  }
}

extension MessageText.StringInterpolation {
  /// Seconds in the two largest units that people would say: `3 d 4 h`, `5 min`, `40 s`.
  mutating func appendInterpolation(lengthOfTime seconds: Int) {
    let units: [(length: Int, name: StaticString)] = [
      (86_400, " d"), (3600, " h"), (60, " min"), (1, " s"),
    ]
    let first = units.firstIndex { seconds >= $0.length } ?? units.count - 1
    appendInterpolation(seconds / units[first].length)
    appendInterpolation(units[first].name)
    guard first + 1 < units.count else { return }
    let rest = seconds % units[first].length / units[first + 1].length
    guard rest > 0 else { return }
    appendLiteral(" ")
    appendInterpolation(rest)
    appendInterpolation(units[first + 1].name)
  }
}
