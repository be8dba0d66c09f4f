@testable import PracticeHome

/// A page that looks at what a visitor does, without a browser.
final class Reader {
  var visitor = Visitor()
  private var content = PageContent()
  private var seenCount = 0
  /// What the page was told up to.
  private var revision: Int?

  private func look() {
    let home = visitor.home
    for entry in home.journal.suffix(home.entryCount - seenCount) {
      content.note(entry, home.counters)
    }
    seenCount = home.entryCount
  }

  /// Everything.
  func all() -> JSON {
    look()
    return content.json(since: nil, now: visitor.now)
  }

  /// What is new since the last look at news.
  func news() -> JSON {
    look()
    defer { revision = content.revision }
    return content.json(since: revision, now: visitor.now)
  }

  func device(_ index: Int = 0) -> JSON? { all()["devices"]?[index] }

  func sensor(_ entityID: String) -> JSON? {
    device()?["sensors"]?.array?.first { $0["id"] == .string(entityID) }
  }

  /// Sends one location a second later than the last message.
  func locate(_ latitude: JSON, _ longitude: JSON, accuracy: JSON = 5) {
    visitor.now = visitor.now + .seconds(1)
    visitor.send(
      "update_location", ["gps": [latitude, longitude], "gps_accuracy": accuracy])
  }

  func read(_ id: String, _ state: JSON, _ more: JSONObject = [:]) {
    visitor.now = visitor.now + .seconds(1)
    visitor.update(id, state, more)
  }

  /// Sends history with a time of so many seconds ago for each reading and point.
  func tell(
    readings: [(ago: Int64, sensor: Int, value: JSON)] = [],
    points: [(ago: Int64, latitude: JSON, longitude: JSON)] = [], clock: JSON = "set"
  ) {
    let time = { [now = visitor.now] (ago: Int64) in
      JSON.integer(Int128(now.microseconds / 1_000_000 - ago))
    }
    visitor.send(
      "fire_event",
      [
        "event_type": "homeward_history",
        "event_data": [
          "clock": clock, "sensors": ["soil", "bilge"],
          "readings": .array(readings.map { [time($0.ago), .count($0.sensor), $0.value] }),
          "point_columns": ["time", "latitude", "longitude", "accuracy"],
          "points": .array(points.map { [time($0.ago), $0.latitude, $0.longitude, 7] }),
        ],
      ])
  }
}
