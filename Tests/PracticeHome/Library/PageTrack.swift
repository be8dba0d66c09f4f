/// Where a device was, for its page.
struct PageTrack: Sendable {
  static let pointsMax = 1000

  /// A position. Angles in degrees, lengths in metres.
  struct Point: Timed, Equatable, Sendable {
    var time: Moment
    var latitude: Double
    var longitude: Double
    var accuracy: Double
    /// Whether it came as history, after the fact.
    var isLate = false

    /// Nil for what is nowhere on Earth, or in no circle around it: foreign numbers.
    init?(time: Moment, latitude: Double, longitude: Double, accuracy: Double, isLate: Bool) {
      guard (-90...90).contains(latitude), (-180...180).contains(longitude), accuracy >= 0,
        accuracy.isFinite
      else { return nil }
      (self.time, self.isLate) = (time, isLate)
      (self.latitude, self.longitude, self.accuracy) = (latitude, longitude, accuracy)
    }

    fileprivate var json: JSON {
      [
        time.json, .float(latitude), .float(longitude), .float(accuracy), .bool(isLate),
      ]
    }
  }

  private var trail = Trail<Point>(capacity: pointsMax, overflow: .thinned)
  /// The last location whole, as Home Assistant keeps it.
  private var latest = JSONObject()
  private var latestTime: Moment?
  private(set) var count = 0
  private(set) var revision = 0

  var isEmpty: Bool { count == 0 && trail.elements.isEmpty }

  mutating func note(_ location: JSONObject, at time: Moment, revision: Int) {
    self.revision = revision
    (latest, latestTime) = (location, time)
    count += 1
    guard let gps = location["gps"], let latitude = gps[0]?.number,
      let longitude = gps[1]?.number, let accuracy = location["gps_accuracy"]?.number,
      let point = Point(
        time: time, latitude: latitude, longitude: longitude, accuracy: accuracy, isLate: false)
    else { return }
    trail.insert(point)
  }

  mutating func note(late point: Point, revision: Int) {
    self.revision = revision
    trail.insert(point)
  }

  var json: JSON {
    var fields = JSONObject()
    for key in ["location_name", "gps_accuracy", "speed", "course", "altitude", "battery"] {
      guard let value = latest[key] else { continue }
      fields[key] = value.string.map { .string($0.cut(to: PageContent.textLengthMax)) } ?? value
    }
    if let gps = latest["gps"] { fields["gps"] = gps }
    return [
      "count": .count(count), "time": latestTime?.json ?? nil, "latest": .object(fields),
      "points": .array(trail.elements.map(\.json)),
    ]
  }
}

extension Moment {
  /// Milliseconds since 1970, as a browser counts.
  var json: JSON { .integer(Int128(microseconds / 1000)) }
}
