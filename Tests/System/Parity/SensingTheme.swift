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

  fileprivate mutating func append(_ verdict: FixFilter.Verdict) {
    switch verdict {
    case .usable(let fix): append(fix)
    case .noFix: append("no fix")
    case .rejected(.unknownMode): append("unknown mode")
    case .rejected(.noPosition): append("no position")
    case .rejected(.notNewer): append("not newer")
    default: preconditionFailure("this verdict has no words here")
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
    case .release: append("release")
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
    default: preconditionFailure("this failure has no words here")
    }
  }
}

private func fix(
  mode: Int32 = 3, seconds: Int64?, latitude: Double = 52.0000001, longitude: Double = 4.1
) -> FixReport {
  var report = FixReport(
    mode: mode,
    time: seconds.map { WallTime.released + .seconds($0) })
  report.latitude = latitude
  report.longitude = longitude
  report.altitudeMeters = -2.5
  report.trackDegrees = 361
  report.horizontalErrorMeters = 3.25
  return report
}

func filterFixes(to transcript: inout Transcript) {
  var filter = FixFilter()
  let reports = [
    fix(seconds: 100), fix(seconds: 100), fix(seconds: 101), fix(mode: 1, seconds: 102),
    fix(mode: 2, seconds: 102), fix(mode: 9, seconds: 103), fix(seconds: nil),
    fix(seconds: 104, latitude: .nan), fix(seconds: 104, longitude: -180.1),
    fix(seconds: 50), fix(seconds: 51), fix(seconds: 52), fix(seconds: 53),
    fix(seconds: -1024 * 7 * 86_400), fix(seconds: -1), fix(seconds: 54, latitude: 0),
  ]
  for report in reports {
    transcript.line("a fix judged") { line in
      let start = Instant(nanoseconds: 0)
      let arrival = Arrival(instant: start, wallTime: .released, since: start)
      line.append(filter.reported(report, arrival))
    }
  }
}

func talkToGPSD(to transcript: inout Transcript) {
  for cycle in [Duration.seconds(10), .seconds(900)] { talk(cycle: cycle, to: &transcript) }
}

private func talk(cycle: Duration, to transcript: inout Transcript) {
  var now = Instant(nanoseconds: 0)
  let libgps = Copies()
  var session = GPSDSession(
    name: InlineText("gpsd"), details: .all, cycle: cycle, fixTimeout: .seconds(10), now: now
  ) { copy, report in
    libgps.append(copy.bytes)
    report.fix = fix(mode: 3, seconds: nil)
    report.fix.horizontalErrorMeters = .nan
    report.fix.climbMetersPerSecond = -0.26
    report.horizontalDilution = 1.5
    report.headingDegrees = 359.6
    return true
  }
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
    session.input.buffer.append(text)
    say("heard", session.bytesReceived(now: now, wallTime: .released), session.deadline)
  }
  say("cycle", session.cycleDue(now: now), session.deadline)
  session.connected(now: now)
  hear("{\"class\":\"VERSION\",\"release\":\"3.25\"}\r")
  hear("\n{\"class\":\"DEVICES\"}\n{\"class\":\"TPV\",\"mode\":1}\n{\"class\":\"TPV\",\"mo")
  hear("de\":3}\n{\"class\":\"SKY\",\"hdop\":1.5,\"nSat\":12,\"satellites\":[{\"used\":true},")
  hear("{\"used\":false}]}\n{\"class\":\"ATT\",\"heading\":359.6,\"mheading\":12.5}\n")
  say("drained", session.drained(now: now), session.deadline)
  let taken = session.takeFix()
  transcript.line("gpsd fix") { $0.append(taken?.latitude) }
  transcript.line("gpsd error") { $0.append(taken?.horizontalErrorMeters) }
  transcript.line("gpsd copies") { libgps.write(to: &$0) }
  precondition(session.takeDetails(), "a cycle has details")
  for detail in ReceiverDetail.allCases {
    transcript.line("gpsd detail") { line in
      switch session.value(of: detail) {
      case .number(let number)?: line.append(number)
      case .text(let text)?: line.append(text)
      case .boolean?, .unknown?, .unavailable?, nil: line.append("nothing")
      }
    }
  }
  now = now + .seconds(20)
  say("cycle", session.cycleDue(now: now), session.deadline)
  hear(
    "{ \"mode\" : 3, \"x\":[1], \"class\":\"TPV\"}\n\n{]\n{\"class\":\"ERROR\",\"message\":\"no\"}\n"
  )
  say("drained", session.drained(now: now), session.deadline)
  now = now + .seconds(61)
  say("late", session.deadlineReached(now: now), session.deadline)
  say("drained", session.drained(now: now), session.deadline)
  session.connected(now: now)
  hear("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\n")
}

/// Copies of reports for libgps.
private final class Copies {
  private var text = ByteBuffer(capacity: 8 * 1024)

  func append(_ copy: Span<UInt8>) { text.append(copy) }
  func write(to line: inout ByteBuffer) { text.withBytes { line.append($0) } }
}

func superviseASource(to transcript: inout Transcript) {
  var supervision = Supervision()
  var now = Instant(nanoseconds: 0)
  for step in 0..<7 {
    transcript.line("supervision") { line in
      let failure = SourceFailure.missing(InlineText(step < 4 ? "gps" : "uart"))
      if step == 6 {
        line.append(supervision.succeeded() ? "recovered" : "nothing new")
      } else if let report = supervision.failed(failure, now: now) {
        line.append(report)
      } else {
        line.append("nothing new")
      }
      line.append(", again at ")
      line.append(supervision.retryAt?.nanoseconds)
    }
    now = now + .seconds(1)
  }
}

func watchAnAnchor(to transcript: inout Transcript) {
  let start = Instant(nanoseconds: 0)
  var monitor = AnchorMonitor(radiusMeters: 40, cycle: .seconds(10), now: start)
  func tell(_ event: StaticString, _ monitor: AnchorMonitor) {
    transcript.line(event) { line in
      switch monitor.status.state {
      case .unset: line.append("unset")
      case .awaitingPlace: line.append("waits for its place")
      case .inside: line.append("inside")
      case .outside: line.append("outside")
      case .unknown: line.append("unknown")
      }
      line.append(monitor.status.setter == .command ? ", by a command, " : ", ")
      line.append(monitor.status.distanceMeters)
    }
  }
  tell("an anchor", monitor)
  monitor.lineSettled(.active)
  tell("its line", monitor)
  for (second, latitude) in [(10, 52.0), (20, 52.0002), (30, 52.0006), (40, 52.0006), (50, 53.0)] {
    let now = start + .seconds(Int64(second))
    monitor.fixReported(
      Fix(
        mode: .threeDimensional, latitude: latitude, longitude: 4.1, horizontalErrorMeters: 5,
        time: WallTime(nanoseconds: 0), notBefore: now))
    tell("a boat", monitor)
  }
  let file = monitor.takeKept().file
  transcript.line("an anchor kept") { line in
    for index in file.bytes.indices {
      line.append(decimal: file.bytes[index])
      line.append(" ")
    }
  }
  var next = AnchorMonitor(radiusMeters: 40, cycle: .seconds(10), now: start)
  if let kept = try? KeptAnchor(file: file.bytes) { next.restored(kept, now: start) }
  tell("an anchor read", next)
  next.cycleDue(now: start + .seconds(301))
  tell("no fix for long", next)
  next.set(by: .command)
  tell("a command", next)
  next.clear()
  tell("cleared", next)
}
