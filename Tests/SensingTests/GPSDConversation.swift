import Bytes
import Sensing

/// A session and the clock that it lives by; what gpsd says comes in pieces of any size.
final class GPSDConversation {
  static let fixTimeout: Duration = .seconds(20)

  private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
  private var session: GPSDSession

  init(_ pace: GPSDSession.Pace) {
    session = GPSDSession(
      name: InlineText("gpsd"), pace: pace, fixTimeout: Self.fixTimeout, now: now)
  }

  /// A session that has asked for reports.
  static func awaitingFix(_ pace: GPSDSession.Pace) -> GPSDConversation {
    let conversation = GPSDConversation(pace)
    _ = conversation.cycleDue()
    conversation.connected()
    _ = conversation.hears(GPSDLine.version)
    return conversation
  }

  /// A session whose first cycle has brought a fix.
  static func resting(_ pace: GPSDSession.Pace) -> GPSDConversation {
    let conversation = awaitingFix(pace)
    _ = conversation.hears(GPSDLine.watch + GPSDLine.fix(second: 0))
    _ = conversation.fixFound()
    return conversation
  }

  var deadline: Instant? { session.deadline }
  var isConnected: Bool { session.isConnected }
  var isAwaitingFix: Bool { session.isAwaitingFix }
  var report: String { session.report.text }

  func wait(_ duration: Duration) { now = now + duration }
  func cycleDue() -> GPSDSession.Action? { session.cycleDue(now: now) }
  func connected() { session.connected(now: now) }
  func failed(_ failure: SourceFailure) -> GPSDSession.Action { session.failed(failure) }
  func drained() -> GPSDSession.Action? { session.drained(now: now) }
  func fixFound() -> GPSDSession.Action? { session.fixFound() }
  func deadlineReached() -> GPSDSession.Action? { session.deadlineReached(now: now) }

  /// Reads `text` as a driver does, at most `chunk` bytes at once; ends with the first action.
  func hears(_ text: String, chunk: Int = .max) -> GPSDSession.Action? {
    var rest = [UInt8](text.utf8)[...]
    while !rest.isEmpty {
      let part = rest.prefix(min(chunk, session.input.freeCapacity))
      session.input.append([UInt8](part))
      rest = rest.dropFirst(part.count)
      if let action = session.bytesReceived(now: now) { return action }
    }
    return nil
  }

  func takeReport() { session.takeReport() }

  /// The report as libgps would find it, up to its NUL.
  func reportAsCString() -> String { unsafe session.withReport { unsafe String(cString: $0) } }
}

extension ByteBuffer {
  fileprivate var text: String { String(decoding: [UInt8](bytes), as: UTF8.self) }
}

/// Lines of gpsd 3.22, as it sent them.
enum GPSDLine {
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

  static func fix(second: Int) -> String {
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2024-05-01T12:00:0\#(second).000Z","#
      + #""ept":0.005,"lat":51.500000000,"lon":-0.100001667,"altHAE":59.5000,"altMSL":12.5000,"#
      + #""alt":12.5000,"epx":17.240,"epy":15.217,"epv":27.600,"track":90.2000,"magtrack":90.0480,"#
      + #""magvar":-0.2,"speed":1.492,"climb":0.000,"eps":34.48,"epc":55.20,"geoidSep":47.000,"#
      + #""eph":17.100,"sep":28.500}"# + "\r\n"
  }

  /// How a TPV stands in the session's report.
  static func report(_ line: String) -> String { line.dropLast() + "\r\0" }
}
