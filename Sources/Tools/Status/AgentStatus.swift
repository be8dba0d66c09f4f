import Board
import Bytes

/// Status of an agent, read from its `StatusReport`. Unknown members are ignored and missing ones
/// allowed, so that it reads reports of older and newer agents.
struct AgentStatus {
  let document: [UInt8]
  /// Whether Home Assistant accepts the data, every source works, and the disk stores waiting
  /// entries.
  let isWell: Bool
  let root: StatusMembers

  /// Parses the report of an agent; nil if it is not one. `isCalm`: durations are shown in whole
  /// minutes.
  init?(document: [UInt8], isCalm: Bool = false) {
    guard case .object(let members)? = try? JSON(parsing: document.span),
      case .boolean(let isWell)? = members["is_well"]
    else { return nil }
    self.document = document
    self.isWell = isWell
    root = StatusMembers(members, isCalm: isCalm)
  }

  /// Exit code of a command that asked for the status.
  var code: ExitCode {
    if isWell { return .success }
    let home = root["home_assistant"]
    if home?.isTrue("is_registration_doubted") == true || home?.says("cause", "gone") == true {
      return .unavailable
    }
    guard home?.isTrue("is_well") == true else { return .temporaryFailure }
    return root["disk"]?.isTrue("is_well") == false ? .noInput : .inputOutput
  }

  /// Returns the value of a sensor in words; nil if the agent has no sensor of that id.
  func words(ofSensor uniqueID: [UInt8]) -> MessageText? {
    root.list("sensors").first { $0.says("sensor", uniqueID) }?.saying
  }

  /// State of the anchor watch; nil if the agent has none.
  var anchorWords: MessageText? { root["anchor"]?.text("text") }

  /// Text for people: parts that are well, wrong, or neither.
  ///
  ///     ok     Home Assistant   takes the data
  ///              last proof     4 s ago
  ///     ok     route            home_assistant.url: http://192.168.1.5:8123, for 3 min 5 s
  ///            waiting          nothing
  var lines: [UInt8] {
    var lines = StatusLines(subjectWidth: 17)
    appendState(to: &lines)
    for sensor in root.list("sensors") { lines.append(.neither, "sensor", sensor.saying) }
    appendPosition(to: &lines)
    return lines.bytes
  }

  /// Appends whether the data reaches Home Assistant, and the failing sources.
  func appendState(to lines: inout StatusLines) {
    if let home = root["home_assistant"] { lines.append(homeAssistant: home) }
    lines.append(routes: root.list("routes"))
    if let network = root["network"] { lines.append(network: network) }
    if let board = root["board"] { lines.append(.wrong, "board", board.text("text")) }
    if let webSocket = root["websocket"] {
      lines.append(webSocket.verdict, "WebSocket", webSocket.words)
    }
    if let relay = root["relay"] {
      let last: MessageText = relay.has("last_answer") ? ", \(relay.past("last_answer"))" : ""
      lines.append(relay.verdict, "push relay", "\(relay.text("text"))\(last)")
    }
    if let waiting = root["waiting"] { lines.append(waiting: waiting) }
    if let history = root["history"] { lines.append(history: history) }
    if let disk = root["disk"] { lines.append(disk: disk) }
    if let statistics = root["statistics"] { lines.append(statistics: statistics) }
    if let counts = root["counts"] { lines.append(counts: counts) }
    if let traffic = root["traffic"] {
      lines.append(traffic: traffic, seconds: root["started"]?.number("seconds") ?? 0)
    }
    let sources = root.list("failing_sources")
    for source in sources {
      lines.append(.wrong, "source", source.words)
      if source.has("remedy") { lines.append(more: "what to do", source.text("remedy")) }
    }
    let hidden = root.number("failing_source_count") - sources.count
    if hidden > 0 { lines.append(.wrong, "source", "\(hidden) more of them fail") }
  }

  /// Appends the last fix, the anchor watch, notifications, and the agent itself.
  func appendPosition(to lines: inout StatusLines) {
    if root.has("last_fix") {
      lines.append(.neither, "location", "a fix, \(root.past("last_fix"))")
      if let accuracy = root["accuracy"] {
        lines.append(
          more: "accuracy", "\(accuracy.number("meters")) m, from \(accuracy.text("from"))")
      } else {
        lines.append(more: "accuracy", "not reported by the receiver")
      }
    }
    if let track = root["track"] {
      lines.append(more: "track", "\(track.text("state")); \(track.text("text"))")
    }
    if let anchor = root["anchor"] { lines.append(.neither, "anchor watch", anchor.text("text")) }
    if let power = root["power"] { lines.append(.neither, "power", power.text("text")) }
    for notification in root.list("notifications") {
      lines.append(
        .neither, "notification",
        "\(notification.text("message")), \(notification.past("received"))")
      if notification.has("title") { lines.append(more: "title", notification.text("title")) }
    }
    lines.append(
      .neither, "agent", "homeward \(root.text("version"))\(root.lasting("started"))")
    lines.append(more: "next cycle", root.coming("next_cycle"))
    if root.has("next_upload") { lines.append(more: "next upload", root.coming("next_upload")) }
  }
}

/// Object of the document. A missing member reads as empty.
struct StatusMembers {
  private let object: JSONObject
  private let isCalm: Bool

  init(_ object: JSONObject, isCalm: Bool) {
    self.object = object
    self.isCalm = isCalm
  }

  // Not inlined: it has many callers.
  @inline(never)
  private func value(_ key: StaticString) -> JSON? { object[Text(stringLiteral: key)] }

  subscript(_ key: StaticString) -> StatusMembers? {
    guard case .object(let members)? = value(key) else { return nil }
    return StatusMembers(members, isCalm: isCalm)
  }

  func list(_ key: StaticString) -> [StatusMembers] {
    guard case .array(let elements)? = value(key) else { return [] }
    return elements.compactMap {
      if case .object(let members) = $0 { StatusMembers(members, isCalm: isCalm) } else { nil }
    }
  }

  /// Returns a count or a number of seconds, never negative; the sum of two is an `Int`. 0 if it is
  /// missing.
  @inline(never)
  func number(_ key: StaticString) -> Int {
    guard case .number(let number)? = value(key) else { return 0 }
    return min(Int(clamping: max(number.integer ?? 0, 0)), .max >> 1)
  }

  /// Returns the nearest whole number; nil if it is missing or does not fit.
  @inline(never)
  func rounded(_ key: StaticString) -> Int64? {
    guard case .number(let number)? = value(key) else { return nil }
    return number.scaled(byPowerOfTen: 0)
  }

  /// Returns a text that is safe for a terminal; empty if it is missing.
  @inline(never)
  func text(_ key: StaticString) -> MessageText {
    guard case .text(let text)? = value(key) else { return "" }
    return MessageText(bytes: text.bytes.printable)
  }

  func says(_ key: StaticString, _ word: StaticString) -> Bool {
    says(key, [UInt8](word))
  }

  func says(_ key: StaticString, _ word: [UInt8]) -> Bool {
    guard case .text(let text)? = value(key) else { return false }
    return text.bytes == word
  }

  func has(_ key: StaticString) -> Bool { value(key) != nil }

  func isTrue(_ key: StaticString) -> Bool? {
    guard case .boolean(let truth)? = value(key) else { return nil }
    return truth
  }

  // MARK: Words

  var verdict: StatusLines.Verdict { isTrue("is_well").map { $0 ? .well : .wrong } ?? .neither }

  /// Problem, its duration, and the time of the next attempt.
  @inline(never)
  var words: MessageText {
    let next: MessageText = has("next_attempt") ? "; next attempt \(coming("next_attempt"))" : ""
    return "\(text("text"))\(lasting("since"))\(next)"
  }

  /// Name and value of a sensor, and the time since it was read.
  var saying: MessageText { "\(text("name")) \(text("text")), \(past("read"))" }

  // MARK: Moments

  /// Returns the time since an event: `3 s ago`.
  @inline(never)
  func past(_ key: StaticString) -> MessageText {
    self[key].map { "\(length($0.number("seconds"))) ago" } ?? ""
  }

  /// Returns a duration, to be appended: `, for 3 min 5 s`.
  @inline(never)
  func lasting(_ key: StaticString) -> MessageText {
    self[key].map { ", for \(length($0.number("seconds")))" } ?? ""
  }

  /// Returns the time until an event: `in 4 s`, or `now`.
  @inline(never)
  func coming(_ key: StaticString) -> MessageText {
    guard let seconds = self[key]?.number("seconds"), seconds > 0 || isCalm else { return "now" }
    return "in \(length(seconds))"
  }

  private func length(_ seconds: Int) -> MessageText {
    if isCalm, seconds < 60 { return "less than 1 min" }
    return "\(wholeSeconds: isCalm ? seconds / 60 * 60 : seconds)"
  }
}
