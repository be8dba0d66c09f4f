import PracticeHome

/// What a home shows of the battery of a `Board`.
func shownCharge(in home: PracticeServer) -> String? {
  home.state(of: "sensor.boat_bat7_capacity")?.state
}

/// Where a home shows the tracker of a `Board`.
func shownLatitude(in home: PracticeServer) -> Double? {
  home.state(of: "device_tracker.boat")?.attributes["latitude"]?.number
}

/// A number that a home got in an event.
struct HistoricReading {
  let time: Double
  let value: String
}

/// The numbers of a sensor that a home got as history, in their order.
func history(of sensor: String, in home: PracticeServer) -> [HistoricReading] {
  home.journal.flatMap { entry -> [HistoricReading] in
    guard case .eventFired("homeward_history", let data) = entry.event else { return [] }
    return (data["readings"]?.array ?? []).compactMap { reading in
      guard case .integer(let index)? = reading[1],
        data["sensors"]?[Int(index)]?.string?.contains(sensor) == true
      else { return nil }
      let value = if case .integer(let number)? = reading[2] { "\(number)" } else { "no integer" }
      return HistoricReading(time: reading[0]?.number ?? .nan, value: value)
    }
  }
}
