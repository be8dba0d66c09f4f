import Bytes

/// What `homeward check` found, for people and for scripts.
struct CheckReport {
  private(set) var findings: [Finding] = []
  /// That of Home Assistant, as far as it told.
  var version: Text?

  mutating func append(_ finding: Finding) { findings.append(finding) }

  /// That of the first problem: what comes later may follow from it.
  var code: ExitCode {
    for finding in findings { if let problem = finding.problem { return problem.code } }
    return .success
  }

  /// A line for each finding, and two more for what is wrong:
  ///
  ///     ok     server         http://192.168.1.5:8123 answers
  ///     WRONG  encryption     Home Assistant dropped our message …
  ///              at fault     Home Assistant
  ///              what to do   homeward pair
  var lines: [UInt8] {
    var lines: [UInt8] = []
    for finding in findings {
      let verdict: StaticString = finding.problem == nil ? "ok     " : "WRONG  "
      lines += [UInt8](verdict) + Self.column(finding.subject) + finding.text.bytes
      lines.append(UInt8(ascii: "\n"))
      guard let problem = finding.problem else { continue }
      lines += Self.more("at fault") + [UInt8](problem.culprit.words)
      lines.append(UInt8(ascii: "\n"))
      guard let remedy = problem.remedy else { continue }
      lines += Self.more("what to do") + remedy.bytes
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }

  private static func column(_ text: StaticString) -> [UInt8] {
    let columnWidth = 15
    return [UInt8](text)
      + [UInt8](
        repeating: UInt8(ascii: " "), count: max(columnWidth - text.utf8CodeUnitCount, 1))
  }

  private static func more(_ text: StaticString) -> [UInt8] {
    [UInt8]("         ") + column(text).dropLast(2)
  }

  /// All in one object on one line.
  var json: [UInt8] {
    let textByteCount = findings.reduce(0) { sum, finding in
      sum + finding.text.bytes.count + (finding.problem?.remedy?.bytes.count ?? 0)
    }
    // A byte becomes six at most.
    var line = ByteBuffer(capacity: 4096 + 6 * textByteCount)
    line.openJSONObject()
    line.appendJSON(key: "is_well")
    line.appendJSON(code == .success)
    if let version { line.appendMember("version", version.bytes.span) }
    line.appendJSON(key: "findings")
    line.openJSONArray()
    for finding in findings { finding.write(into: &line) }
    line.closeJSONArray()
    line.closeJSONObject()
    line.append(UInt8(ascii: "\n"))
    return [UInt8](line.bytes)
  }
}

extension Finding {
  fileprivate func write(into line: inout ByteBuffer) {
    line.openJSONObject()
    line.appendMember("subject", subject)
    line.appendJSON(key: "is_well")
    line.appendJSON(problem == nil)
    if let problem {
      line.appendMember("cause", problem.cause)
      line.appendMember("at_fault", problem.culprit.code)
    }
    line.appendMember("text", text.bytes.span)
    if let remedy = problem?.remedy { line.appendMember("remedy", remedy.bytes.span) }
    line.closeJSONObject()
  }
}
