import PracticeHome

/// A reading that a home got in an event.
struct HistoricReading {
  let time: Double
  let value: String
}

/// The readings of a sensor that a home got as history, in their order.
func history(of sensor: String, in home: PracticeServer) -> [HistoricReading] {
  var readings: [HistoricReading] = []
  for entry in home.journal {
    guard case .eventFired("homeward_history", let data) = entry.event else { continue }
    let sensors = data["sensors"].array.map(\.text)
    for reading in data["readings"].array.map(\.array) {
      guard case .integer(let index) = reading[1], sensors[Int(index)].contains(sensor) else {
        continue
      }
      readings.append(HistoricReading(time: reading[0].number, value: reading[2].text))
    }
  }
  return readings
}

extension JSON? {
  fileprivate var array: [JSON] { self?.array ?? [] }
}

extension JSON {
  fileprivate var array: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  fileprivate var number: Double {
    switch self {
    case .float(let number): number
    case .integer(let number): Double(number)
    default: .nan
    }
  }

  fileprivate var text: String {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .float(let number): String(number)
    case .bool(let truth): String(truth)
    default: ""
    }
  }
}
