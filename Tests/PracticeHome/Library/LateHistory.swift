/// What a device missed to tell in time and told later, as the event `homeward_history` has it:
/// `sensors` are unique ids, `readings` are lists of time, index into them, and value; `points` are
/// lists of what `point_columns` names. Times are in seconds since 1970.
struct LateHistory {
  static let eventType = "homeward_history"
  /// How far a time may lie ahead of this clock.
  private static let leadMax = Duration.seconds(60)

  struct Reading {
    var uniqueID: String
    var time: Moment
    var value: JSON
  }

  /// What is in the event, whether or not it can be drawn.
  let readingCount: Int
  let pointCount: Int
  private(set) var readings: [Reading] = []
  private(set) var points: [PageTrack.Point] = []

  /// Nil for another event. What in it is not as it should be is left out.
  init?(eventType: String, _ data: JSONObject, receivedAt now: Moment) {
    guard eventType == Self.eventType else { return nil }
    let rows = (data["readings"]?.array ?? [], data["points"]?.array ?? [])
    (readingCount, pointCount) = (rows.0.count, rows.1.count)
    // Without a clock that is right, nothing tells where the entries belong.
    guard data["clock"] == "set" else { return }
    let sensors = data["sensors"]?.array ?? []
    readings = rows.0.compactMap { row in
      guard let time = Self.time(row[0], before: now), let index = row[1]?.number,
        let place = Int(exactly: index), sensors.indices.contains(place),
        let uniqueID = sensors[place].string, let value = row[2]
      else { return nil }
      return Reading(uniqueID: uniqueID, time: time, value: value)
    }
    let columns = data["point_columns"]?.array ?? []
    points = rows.1.compactMap { row in
      let value = { (name: JSON) in columns.firstIndex(of: name).flatMap { row[$0] } }
      guard let time = Self.time(value("time"), before: now),
        let latitude = value("latitude")?.number, let longitude = value("longitude")?.number
      else { return nil }
      return PageTrack.Point(
        time: time, latitude: latitude, longitude: longitude,
        accuracy: value("accuracy")?.number ?? 0, isLate: true)
    }
  }

  private static func time(_ value: JSON?, before now: Moment) -> Moment? {
    guard let seconds = value?.number, seconds >= 0, seconds < 1e11 else { return nil }
    let time = Moment(microseconds: Int64(seconds * 1e6))
    return time <= now + leadMax ? time : nil
  }
}
