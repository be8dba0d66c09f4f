import Bytes
import Foundation
import Sensing

extension Voyage {
  /// A recording: NMEA 0183 or GPX, known by its beginning; nil where there is no position in it.
  public init?(name: String, recording bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let fixes =
      text.contains("<gpx") ? GPXRecording(text).fixes : NMEARecording(text).fixes
    guard let first = fixes.first else { return nil }
    // Instants begin with the recording.
    let timed = fixes.map { fix in
      var timed = fix
      timed.notBefore = Instant(nanoseconds: 1_000_000_000) + (fix.time - first.time)
      return timed
    }
    self.init(name: name, fixes: timed)
  }
}

/// The RMC sentences of NMEA 0183, with the dilution of the GGA before or behind each.
private struct NMEARecording {
  /// As gpsd computes an error from a dilution.
  private static let metersOfDilution = 19.0
  private static let metersPerSecondOfKnots = 0.514_444

  private(set) var fixes: [Fix] = []
  private var dilution: Double?

  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) { read(line) }
  }

  private mutating func read(_ line: Substring) {
    guard line.hasPrefix("$"), line.count > 6 else { return }
    let fields = line.prefix { $0 != "*" }
      .split(separator: ",", omittingEmptySubsequences: false)
    switch fields[0].dropFirst(3) {
    case "GGA" where fields.count > 8:
      dilution = Double(fields[8])
    case "RMC" where fields.count > 9 && fields[2] == "A": readMinimum(fields)
    default: break
    }
  }

  private mutating func readMinimum(_ fields: [Substring]) {
    guard let time = Self.time(fields[1], fields[9]),
      let latitude = Self.degrees(fields[3], digits: 2),
      let longitude = Self.degrees(fields[5], digits: 3)
    else { return }
    fixes.append(
      Fix(
        mode: .threeDimensional, latitude: fields[4] == "S" ? -latitude : latitude,
        longitude: fields[6] == "W" ? -longitude : longitude,
        speedMetersPerSecond: Double(fields[7]).map { $0 * Self.metersPerSecondOfKnots },
        trackDegrees: Double(fields[8]),
        horizontalErrorMeters: dilution.map { $0 * Self.metersOfDilution }, time: time,
        notBefore: Instant(nanoseconds: 0)))
  }

  /// `5255.99521`: 52 degrees and 55.99521 minutes.
  private static func degrees(_ text: Substring, digits: Int) -> Double? {
    guard let whole = Double(text.prefix(digits)), let minutes = Double(text.dropFirst(digits))
    else { return nil }
    return whole + minutes / 60
  }

  /// `091200.00` and `140626`.
  private static func time(_ clock: Substring, _ date: Substring) -> WallTime? {
    guard clock.count >= 6, date.count == 6 else { return nil }
    func pair(_ text: Substring, _ index: Int) -> Substring { text.dropFirst(index * 2).prefix(2) }
    let day = "20\(pair(date, 2))-\(pair(date, 1))-\(pair(date, 0))"
    let moment = "\(pair(clock, 0)):\(pair(clock, 1)):\(clock.dropFirst(4))"
    return WallTime(iso8601: [UInt8]("\(day)T\(moment)Z".utf8).span)
  }
}

/// The points of all tracks of a GPX file, one behind the other.
private struct GPXRecording {
  private(set) var fixes: [Fix] = []

  init(_ text: String) {
    for part in text.components(separatedBy: "<trkpt").dropFirst() {
      let point = part.components(separatedBy: "</trkpt>")[0]
      guard let latitude = Self.attribute("lat", of: point).flatMap(Double.init),
        let longitude = Self.attribute("lon", of: point).flatMap(Double.init),
        let time = Self.element("time", of: point)
          .flatMap({ WallTime(iso8601: [UInt8]($0.utf8).span) })
      else { continue }
      fixes.append(
        Fix(
          mode: .threeDimensional, latitude: latitude, longitude: longitude,
          speedMetersPerSecond: Self.element("speed", of: point).flatMap(Double.init),
          trackDegrees: Self.element("course", of: point).flatMap(Double.init), time: time,
          notBefore: Instant(nanoseconds: 0)))
    }
  }

  private static func attribute(_ name: String, of text: String) -> String? {
    let parts = text.components(separatedBy: "\(name)=\"")
    return parts.count > 1 ? parts[1].components(separatedBy: "\"")[0] : nil
  }

  private static func element(_ name: String, of text: String) -> String? {
    let parts = text.components(separatedBy: "<\(name)>")
    return parts.count > 1 ? parts[1].components(separatedBy: "</")[0] : nil
  }
}
