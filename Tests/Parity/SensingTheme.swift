import Bytes
import Sensing

extension ByteBuffer {
  fileprivate mutating func append(_ number: Double?) {
    guard let number else { return append("none") }
    guard let decimal = FixedPoint(rounding: number, decimals: 7) else {
      return append("too large")
    }
    append(decimal)
  }

  fileprivate mutating func append(_ fix: Fix) {
    append(fix.mode == .threeDimensional ? "3D" : "2D")
    let numbers: [Double?] = [
      fix.latitude, fix.longitude, fix.altitudeMeters, fix.speedMetersPerSecond, fix.trackDegrees,
      fix.horizontalErrorMeters, fix.verticalErrorMeters,
    ]
    for number in numbers {
      append(" ")
      append(number)
    }
  }

  fileprivate mutating func append(_ verdict: FixJudge.Verdict) {
    switch verdict {
    case .usable(let fix): append(fix)
    case .noFix: append("no fix")
    case .rejected(.unknownMode): append("unknown mode")
    case .rejected(.noPosition): append("no position")
    case .rejected(.noTime): append("no time")
    case .rejected(.notNewer): append("not newer")
    }
  }

  fileprivate mutating func append(_ action: GPSDSession.Action?) {
    switch action {
    case nil: append("nothing")
    case .connect: append("connect")
    case .drain: append("drain")
    case .askForReports: append("ask for reports")
    case .askForQuiet: append("ask for quiet")
    case .stopListening: append("stop listening")
    case .fail(let failure): append(failure)
    }
  }

  fileprivate mutating func append(_ failure: SourceFailure) {
    switch failure {
    case .missing(let what):
      append("missing ")
      append(what)
    case .silent(let what):
      append("silent ")
      append(what)
    case .malformed(let what, let found):
      append("malformed ")
      append(what)
      append(" ")
      append(found)
    case .failed(let what, let code):
      append(what)
      append(" failed with ")
      append(decimal: code)
    case .notPermitted, .busy, .withoutFix, .unsupported: append("another failure")
    }
  }
}

private func report(
  mode: Int32 = 3, seconds: Int64?, latitude: Double = 52.0000001, longitude: Double = 4.1
) -> FixReport {
  var report = FixReport(
    mode: mode, time: seconds.map { WallTime(nanoseconds: $0 * 1_000_000_000) })
  report.latitude = latitude
  report.longitude = longitude
  report.altitudeMeters = -2.5
  report.trackDegrees = 361
  report.horizontalErrorMeters = 3.25
  return report
}

func judgeFixes(to transcript: inout Transcript) {
  var judge = FixJudge()
  let reports = [
    report(seconds: 100), report(seconds: 100), report(seconds: 101), report(mode: 1, seconds: 102),
    report(mode: 2, seconds: 102), report(mode: 9, seconds: 103), report(seconds: nil),
    report(seconds: 104, latitude: .nan), report(seconds: 104, longitude: -180.1),
    report(seconds: 50), report(seconds: 51), report(seconds: 52), report(seconds: 53),
  ]
  for report in reports {
    transcript.line("a fix judged") { line in
      line.append(judge.reported(report, notBefore: Instant(nanoseconds: 0)))
    }
  }
}

func talkToGPSD(to transcript: inout Transcript) {
  for pace in [GPSDSession.Pace.streaming, .onDemand] { talk(pace: pace, to: &transcript) }
}

private func talk(pace: GPSDSession.Pace, to transcript: inout Transcript) {
  var now = Instant(nanoseconds: 0)
  var session = GPSDSession(
    name: InlineText("gpsd"), pace: pace, fixTimeout: .seconds(10), now: now)
  func say(_ event: StaticString, _ action: GPSDSession.Action?, _ deadline: Instant?) {
    transcript.line("gpsd") { line in
      line.append(event)
      line.append(" -> ")
      line.append(action)
      line.append(", deadline ")
      line.append(deadline?.nanoseconds)
    }
  }
  func hear(_ text: StaticString) {
    session.input.append(text)
    let action = session.bytesReceived(now: now)
    say("heard", action, session.deadline)
  }
  say("cycle", session.cycleDue(now: now), session.deadline)
  session.connected(now: now)
  hear("{\"class\":\"VERSION\",\"release\":\"3.25\"}\r")
  hear("\n{\"class\":\"DEVICES\"}\n{\"class\":\"TPV\",\"mode\":1}\n{\"class\":\"TPV\",\"mo")
  hear("de\":3}\n")
  transcript.line("gpsd report") { $0.append(session.report.bytes.extracting(0..<8)) }
  session.takeReport()
  say("fix", session.fixFound(), session.deadline)
  now = now + .seconds(20)
  say("cycle", session.cycleDue(now: now), session.deadline)
  say("drained", session.drained(now: now), session.deadline)
  now = now + .seconds(61)
  say("late", session.deadlineReached(now: now), session.deadline)
  say("drained", session.drained(now: now), session.deadline)
  session.connected(now: now)
  hear("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\n")
}

func superviseASource(to transcript: inout Transcript) {
  var supervision = Supervision()
  var now = Instant(nanoseconds: 0)
  for step in 0..<7 {
    transcript.line("supervision") { line in
      let failure = SourceFailure.missing(InlineText(step < 4 ? "gps" : "uart"))
      switch step == 6 ? supervision.succeeded() : supervision.failed(failure, now: now) {
      case nil: line.append("nothing new")
      case .recovered: line.append("recovered")
      case .failed(let failure): line.append(failure)
      }
      line.append(", again at ")
      line.append(supervision.retryAt?.nanoseconds)
    }
    now = now + .seconds(1)
  }
}
