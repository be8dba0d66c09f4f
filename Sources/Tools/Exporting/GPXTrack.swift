import Board
import Bytes
import Sensing

/// Fixes as a track of GPX 1.1 (https://www.topografix.com/GPX/1/1/gpx.xsd), point by point.
///
/// A part of the track (`trkseg`) ends where it is not known how the board got to the next point:
/// after a silence, a jump, or a clock that was set back.
struct GPXTrack {
  /// A longer silence begins a new part.
  static let silenceMax: Duration = .seconds(600)
  /// So do more degrees of latitude or longitude: 56 km to the north, and what is one where a map
  /// ends, at 180° east and west. 56 km within the silence are the pace of an express train.
  static let jumpDegreesMax = 0.5

  /// Beyond, no board was there.
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
    // A time of a clock that was not set would be one of another day.
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
  /// The schema knows 180° west only.
  fileprivate mutating func append(longitude: Double) {
    let isEnd = longitude >= 180 - 0.5e-7
    append(isEnd ? longitude - 360 : longitude, decimals: 7)
  }
}
