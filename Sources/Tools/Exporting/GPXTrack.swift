import Board
import Bytes
import Sensing

/// Fixes as a track of GPX 1.1 (https://www.topografix.com/GPX/1/1/gpx.xsd), point by point.
///
/// A segment of the track (`trkseg`) ends if the way of the board to the next point is not known:
/// after a silence, a jump, or a clock that was set back.
struct GPXTrack {
  /// Maximum silence within a segment.
  static let silenceMax: Duration = .seconds(600)
  /// Maximum step of latitude or longitude within a segment: 56 km to the north, which is the pace
  /// of an express train within the silence. The edge of a map, at 180° east and west, counts as a
  /// jump.
  static let jumpDegreesMax = 0.5

  /// Maximum altitude: no board was beyond it.
  static let altitudeMetersMax = 1e6

  private struct Point {
    let latitude: Double
    let longitude: Double
    let time: WallTime
    let isTimeTrusted: Bool
    let device: Int?
  }

  private var last: Point?

  static func appendStart(to buffer: inout ByteBuffer) {
    buffer.append(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"Homeward ")
    buffer.append(homewardVersion)
    buffer.append("\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n<trk>\n")
  }

  mutating func append(
    _ fix: Fix, isTimeTrusted: Bool, of device: Int?, to buffer: inout ByteBuffer
  ) {
    let point = Point(
      latitude: fix.latitude, longitude: fix.longitude, time: fix.time,
      isTimeTrusted: isTimeTrusted, device: device)
    if let last {
      if !Self.isOneWay(from: last, to: point) { buffer.append("</trkseg>\n<trkseg>\n") }
    } else {
      buffer.append("<trkseg>\n")
    }
    last = point
    buffer.append("<trkpt lat=\"")
    buffer.append(fix.latitude, decimals: 7)
    buffer.append("\" lon=\"")
    buffer.append(longitude: fix.longitude)
    buffer.append("\">")
    if let altitude = fix.altitudeMeters, altitude.magnitude <= Self.altitudeMetersMax {
      buffer.append("<ele>")
      buffer.append(altitude, decimals: 1)
      buffer.append("</ele>")
    }
    // The time of an unset clock could be one of another day.
    if isTimeTrusted {
      buffer.append("<time>")
      buffer.append(utc: fix.time)
      buffer.append("</time>")
    }
    buffer.append("</trkpt>\n")
  }

  func appendEnd(to buffer: inout ByteBuffer) {
    if last != nil { buffer.append("</trkseg>\n") }
    buffer.append("</trk>\n</gpx>\n")
  }

  private static func isOneWay(from last: Point, to next: Point) -> Bool {
    let silence = next.time - last.time
    return last.device == next.device && last.isTimeTrusted == next.isTimeTrusted
      && silence >= .zero && silence <= silenceMax
      && (next.latitude - last.latitude).magnitude <= jumpDegreesMax
      && (next.longitude - last.longitude).magnitude <= jumpDegreesMax
  }
}

extension ByteBuffer {
  /// Appends a longitude; the schema knows 180° west only.
  fileprivate mutating func append(longitude: Double) {
    let isEnd = longitude >= 180 - 0.5e-7
    append(isEnd ? longitude - 360 : longitude, decimals: 7)
  }
}
