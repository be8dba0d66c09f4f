import Board
import Bytes
import LinuxIO

/// Text for people about an agent or a board: lines with a verdict, a subject and a description.
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

  private(set) var bytes: [UInt8] = []
  private let subjectWidth: Int

  init(subjectWidth: Int) { self.subjectWidth = subjectWidth }

  @inline(never)
  mutating func append(_ verdict: Verdict, _ subject: StaticString, _ text: MessageText) {
    append(verdict.words, subject, width: subjectWidth, text)
  }

  mutating func append(more subject: StaticString, _ text: MessageText) {
    append("         ", subject, width: subjectWidth - 2, text)
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

  mutating func append(homeAssistant home: StatusMembers) {
    append(home.verdict, "Home Assistant", home.text("text") + home.lasting("since"))
    if home.says("cause", "not_live"), home.isTrue("is_registration_doubted") != true {
      append(
        more: "what to do",
        "\(Arguments.command("check")): it shows whether this board was deleted there")
    } else if home.isTrue("is_registration_doubted") == true {
      append(
        more: "what to do",
        "\(Arguments.command("check")): Home Assistant seems to have forgotten this board")
    } else if home.has("cause") {
      append(more: "what to do", Arguments.command("check"))
    }
    append(
      more: "last proof",
      home.has("last_proof") ? home.past("last_proof") : "none since the agent started")
    if home.has("next_attempt") { append(more: "next attempt", home.coming("next_attempt")) }
  }

  mutating func append(routes: [StatusMembers]) {
    var taken: MessageText?
    for route in routes where route.says("state", "taken") {
      let address: MessageText = route.has("url") ? ": \(route.text("url"))" : ""
      taken = "\(route.text("name"))\(address)\(route.lasting("since"))"
    }
    append(taken == nil ? .wrong : .well, "route", taken ?? "none is usable now")
    // Most people have no cloud, and need no line about it.
    for route in routes where !route.says("state", "taken") && !route.says("state", "no_address") {
      append(more: "not used", "\(route.text("name")): \(route.words)")
    }
  }

  mutating func append(network: StatusMembers) {
    var text = network.text("text")
    if network.has("name") { text = "\(text): \(network.text("name"))" }
    if network.has("interface") {
      text = "\(text), \(network.text("kind")), over \(network.text("interface"))"
    }
    if network.has("gateway") { text = "\(text), gateway \(network.text("gateway"))" }
    append(.neither, "network", text)
  }

  mutating func append(waiting: StatusMembers) {
    let (readings, locations) = (waiting.number("readings"), waiting.number("locations"))
    var text: MessageText = "\(readings, "reading"), \(locations, "location")"
    if readings + locations == 0 { text = "nothing" }
    append(.neither, "waiting", text)
  }

  mutating func append(history: StatusMembers) {
    let isFailing = history.isTrue("is_well") == false
    let entries = history.number("entries")
    guard isFailing || entries > 0 else { return }
    append("history", "stored until proven: \(entries: entries)", of: history, isFailing)
  }

  private mutating func append(
    _ subject: StaticString, _ text: MessageText, of part: StatusMembers, _ isFailing: Bool
  ) {
    append(isFailing ? .wrong : .neither, subject, text)
    if isFailing { append(more: "why", part.text("text")) }
  }

  mutating func append(disk: StatusMembers) {
    guard disk.isTrue("is_well") == false else { return }
    append(.wrong, "disk", disk.text("text"))
    append(more: "what to do", disk.text("remedy"))
  }

  mutating func append(statistics: StatusMembers) {
    let hours = statistics.number("hours")
    guard hours > 0 else { return }
    append(
      "statistics", "\(hours, "hour") waiting for Home Assistant's long-term statistics",
      of: statistics, statistics.isTrue("is_well") == false)
  }

  mutating func append(counts: StatusMembers) {
    append(
      .neither, "since its start",
      "\(counts.number("readings"), "reading") and \(counts.number("locations"), "location") proven,"
        + " \(counts.number("history")) as history, \(counts.number("refused")) refused,"
        + " \(counts.number("lost")) lost")
  }

  /// Appends the traffic of `seconds`. Less than an hour is too short to estimate a month.
  mutating func append(traffic: StatusMembers, seconds: Int) {
    let sent = max(traffic.rounded("sent_bytes") ?? 0, 0)
    let received = max(traffic.rounded("received_bytes") ?? 0, 0)
    let monthly = (Double(sent) + Double(received)) * 30 * 86_400 / Double(max(seconds, 1))
    let month: MessageText =
      seconds >= 3600 && monthly < 1e15
      ? "; \(Self.amount(Int64(monthly))) in 30 days at this rate" : ""
    append(
      more: "data", "\(Self.amount(sent)) sent, \(Self.amount(received)) received\(month)")
  }

  private static func amount(_ byteCount: Int64) -> MessageText {
    guard byteCount >= 1_000_000 else { return "\(byteCount / 1000) kB" }
    return "\(byteCount / 1_000_000).\(byteCount / 100_000 % 10) MB"
  }
}

extension [UInt8] {
  /// Returns the lines with leading verdicts in colour, if the terminal shows colours.
  func withVerdictsColored(on descriptor: Int32) -> [UInt8] {
    isColored(descriptor) ? withColoredVerdicts : self
  }

  var withColoredVerdicts: [UInt8] {
    var colored: [UInt8] = []
    for line in split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if !colored.isEmpty || line.startIndex != startIndex { colored.append(UInt8(ascii: "\n")) }
      let (color, length): (StaticString, Int) =
        line.starts(with: [UInt8]("WRONG "))
        ? ("\u{1B}[1;31m", 5)
        : line.starts(with: [UInt8]("ok ")) ? ("\u{1B}[32m", 2) : ("", 0)
      guard length > 0 else {
        colored += line
        continue
      }
      colored += [UInt8](color) + line.prefix(length) + [UInt8]("\u{1B}[0m")
      colored += line.dropFirst(length)
    }
    return colored
  }
}
