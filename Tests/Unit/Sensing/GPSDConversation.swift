import Bytes
import Sensing

/// A session and the clock that it lives by; what gpsd says comes in pieces of any size.
final class GPSDConversation {
  static let fixTimeout: Duration = .seconds(20)

  static let start = Instant(nanoseconds: 1_000_000_000_000)
  private(set) var now = start
  private var session: GPSDSession
  private let libgps = LibGPSStandIn()

  init(
    _ pace: GPSDSession.Pace, device: String = "", details: ReceiverDetailSet = []
  ) {
    let libgps = libgps
    session = GPSDSession(
      name: InlineText("gpsd"), device: [UInt8](device.utf8), details: details,
      cycle: Self.cycle(of: pace), fixTimeout: Self.fixTimeout, now: now
    ) { libgps.parse($0, into: &$1) }
  }

  private static func cycle(of pace: GPSDSession.Pace) -> Duration {
    switch pace {
    case .streaming: .seconds(10)
    case .onDemand: .seconds(240)
    case .releasing: .seconds(900)
    }
  }

  /// A session that has asked for reports.
  static func awaitingFix(
    _ pace: GPSDSession.Pace, device: String = "", details: ReceiverDetailSet = []
  ) -> GPSDConversation {
    let conversation = GPSDConversation(pace, device: device, details: details)
    conversation.cycleDue()
    conversation.connected()
    _ = conversation.hears(GPSDLines.version)
    return conversation
  }

  /// A session whose first cycle has brought a fix.
  static func resting(_ pace: GPSDSession.Pace) -> GPSDConversation {
    let conversation = awaitingFix(pace)
    conversation.takes(GPSDLines.watch + GPSDLines.fix(second: 0))
    conversation.forget()
    return conversation
  }

  var deadline: Instant? { session.deadline }
  var isConnected: Bool { session.isConnected }
  var isGathering: Bool { session.isGathering }
  /// Reports that libgps got, since `forget`.
  var reports: [String] { libgps.reports }
  private(set) var fixes: [Fix] = []
  private(set) var news: [GPSDSession.News] = []

  func takesDetails() -> Bool { session.takeDetails() }
  func value(of detail: ReceiverDetail) -> Value? { session.value(of: detail) }

  func forget() {
    libgps.reports = []
    (fixes, news) = ([], [])
  }

  func wait(_ duration: Duration) { now = now + duration }

  func cycleChanged(to cycle: Duration) { _ = paceChanged(to: SamplingPace(cycle: cycle)) }
  func paceChanged(to pace: SamplingPace) -> GPSDSession.Action? {
    after(session.paceChanged(to: pace))
  }
  @discardableResult
  func cycleDue(after duration: Duration = .zero) -> GPSDSession.Action? {
    wait(duration)
    return after(session.cycleDue(now: now))
  }
  func connected() { session.connected(now: now) }
  func failed(_ failure: SourceFailure) -> GPSDSession.Action? { after(session.failed(failure)) }
  func drained() -> GPSDSession.Action? { after(session.drained(now: now)) }
  @discardableResult
  func deadlineReached(after duration: Duration = .zero) -> GPSDSession.Action? {
    wait(duration)
    return after(session.deadlineReached(now: now))
  }

  private func after(_ action: GPSDSession.Action?) -> GPSDSession.Action? {
    if let fix = session.takeFix() { fixes.append(fix) }
    if let word = session.takeNews() { news.append(word) }
    return action
  }

  /// Takes `text` as a driver does, at most `chunk` bytes at once, up to the first action.
  func hears(_ text: String, chunk: Int = .max) -> GPSDSession.Action? {
    var rest = [UInt8](text.utf8)[...]
    while !rest.isEmpty {
      let part = rest.prefix(min(chunk, session.input.buffer.freeCapacity))
      session.input.buffer.append([UInt8](part))
      rest = rest.dropFirst(part.count)
      if let action = after(session.bytesReceived(now: now, wallTime: wallTime)) { return action }
    }
    return nil
  }

  /// The board's clock, which is right.
  private var wallTime: WallTime {
    WallTime(nanoseconds: now.nanoseconds - Self.start.nanoseconds + GPSDLines.noon.nanoseconds)
  }

  /// Takes `text`, behind which the socket is empty.
  @discardableResult
  func takes(_ text: String, chunk: Int = .max) -> GPSDSession.Action? {
    hears(text, chunk: chunk) ?? drained()
  }

  /// A drain that is due, with `text` waiting in the socket.
  @discardableResult
  func drains(_ text: String, chunk: Int = .max, after duration: Duration = .zero)
    -> GPSDSession.Action?
  {
    cycleDue(after: duration)
    return takes(text, chunk: chunk)
  }
}

/// Stands in for libgps, and keeps the reports that it gets.
final class LibGPSStandIn {
  var reports: [String] = []

  func parse(_ copy: borrowing ByteBuffer, into report: inout GPSDReport) -> Bool {
    let bytes = [UInt8](copy.bytes)
    precondition(!copy.isOverflowed && bytes.last == 0, "libgps needs the NUL")
    reports.append(String(decoding: bytes.dropLast(), as: UTF8.self))
    do {
      for (key, value) in try Self.members(of: bytes.dropLast()) { report.set(key, value) }
    } catch { preconditionFailure("libgps gets text that is not JSON") }
    return true
  }

  private static func members(of bytes: [UInt8]) throws(JSONError) -> [(String, String)] {
    var members: [(String, String)] = []
    var reader = JSONReader(bytes.span)
    try reader.openObject()
    while let key = try reader.nextKey() {
      let name = String(decoding: [UInt8](key.raw), as: UTF8.self)
      members.append((name, String(decoding: bytes[try reader.skipValue()], as: UTF8.self)))
    }
    try reader.finish()
    return members
  }
}

extension GPSDReport {
  fileprivate mutating func set(_ key: String, _ value: String) {
    switch key {
    case "hdop": horizontalDilution = Double(value) ?? .nan
    case "heading": headingDegrees = Double(value) ?? .nan
    default: fix.set(key, value)
    }
  }
}

extension FixReport {
  fileprivate mutating func set(_ key: String, _ value: String) {
    let number = Double(value) ?? .nan
    switch key {
    case "mode": mode = Int32(value) ?? 0
    case "lat": latitude = number
    case "lon": longitude = number
    case "altMSL": altitudeMeters = number
    case "speed": speedMetersPerSecond = number
    case "climb": climbMetersPerSecond = number
    case "track": trackDegrees = number
    case "eph": horizontalErrorMeters = number
    case "epv": verticalErrorMeters = number
    case "epx": eastErrorMeters = number
    case "epy": northErrorMeters = number
    case "altHAE": ellipsoidHeightMeters = number
    case "ecefx": earthXMeters = number
    case "ecefy": earthYMeters = number
    case "ecefz": earthZMeters = number
    default: break
    }
  }
}

/// Lines of gpsd 3.22, as it sent them.
enum GPSDLines {
  /// 2027-05-01 12:00 UTC.
  static let noon = WallTime(nanoseconds: 1_809_172_800_000_000_000)

  static let version =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
  static let devices =
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"NMEA0183","#
    + #""activated":"2024-05-01T12:00:00.000Z","native":0,"bps":4800,"parity":"N","stopbits":1,"#
    + #""cycle":1.00}]}"# + "\r\n"
  static let watch =
    #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"#
    + #""timing":false,"split24":false,"pps":false}"# + "\r\n"
  static let sky =
    #"{"class":"SKY","device":"/dev/ttyUSB0","xdop":1.15,"ydop":1.01,"vdop":1.20,"tdop":2.08,"#
    + #""hdop":0.90,"gdop":5.15,"pdop":1.50,"nSat":2,"uSat":2,"satellites":["#
    + #"{"PRN":1,"el":40.0,"az":83.0,"ss":46.0,"used":true,"gnssid":0,"svid":1},"#
    + #"{"PRN":2,"el":17.0,"az":308.0,"ss":41.0,"used":true,"gnssid":0,"svid":2}]}"# + "\r\n"
  static let noFix = #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"# + "\r\n"

  static func time(_ second: Int64) -> WallTime { noon + .seconds(second) }

  /// A TPV of that second, with these members, each behind a comma.
  static func tpv(_ second: Int, _ device: String, mode: Int, _ members: String) -> String {
    let clock = [12 + second / 3600, second / 60 % 60, second % 60]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    return #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"#
      + #""time":"2027-05-01T\#(clock).000Z"\#(members)}"# + "\r\n"
  }

  static func fix(second: Int) -> String {
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2027-05-01T12:00:0\#(second).000Z","#
      + #""ept":0.005,"lat":51.500000000,"lon":-0.100001667,"altHAE":59.5000,"altMSL":12.5000,"#
      + #""alt":12.5000,"epx":17.240,"epy":15.217,"epv":27.600,"track":90.2000,"magtrack":90.0480,"#
      + #""magvar":-0.2,"speed":1.492,"climb":0.000,"eps":34.48,"epc":55.20,"geoidSep":47.000,"#
      + #""eph":17.100,"sep":28.500}"# + "\r\n"
  }

  /// Copy of that fix for libgps.
  static let report =
    #"{"class":"TPV","mode":3,"altMSL":12.5000,"lat":51.500000000,"lon":-0.100001667,"#
    + #""speed":1.492,"track":90.2000,"eph":17.100,"epv":27.600,"epx":17.240,"epy":15.217,"#
    + #""altHAE":59.5000,"climb":0.000}"#
}
