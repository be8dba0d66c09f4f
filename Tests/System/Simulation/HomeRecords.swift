@testable import PracticeHome

/// What Home Assistant was told, in the order of arrival: what its recorder and its users saw.
final class HomeRecords {
  /// How a value came.
  enum Way: Equatable {
    /// As the state of a sensor.
    case state
    /// With the registration of its sensor.
    case registration
    /// As a state that Home Assistant said it would not show.
    case unshown
    /// With its own time, in a chunk of history.
    case history(chunk: Int)
  }

  struct Sighting: Equatable {
    let at: Moment
    let sensor: String
    /// As JSON has it, without quotation marks.
    let value: String
    let way: Way
    /// In seconds since 1970, where it came with one.
    var time: Double?
    /// Whether the board had given up the message that brought it.
    let isLate: Bool
  }

  struct Located: Equatable {
    let at: Moment
    let longitude: Double
    let way: Way
  }

  /// One event of history.
  struct Chunk: Equatable {
    let at: Moment
    let first: Int?
    let last: Int?
    let isClockTrusted: Bool
    let readingCount: Int
    let byteCount: Int
  }

  static let historyEvent = "homeward_history"

  private(set) var sightings: [Sighting] = []
  private(set) var locations: [Located] = []
  private(set) var chunks: [Chunk] = []
  /// What is wrong with what came, in words.
  private(set) var complaints: [String] = []
  /// Messages that were sealed where Home Assistant has no key, or readable where it has one.
  private(set) var keyDisputes: [String] = []
  /// Whether the board has given up the message that is being answered.
  var isLate = false

  func take(_ entry: JournalEntry) {
    switch entry.event {
    case .readings(let readings):
      for reading in readings { see(reading.uniqueID, reading.state, .state, entry.time) }
    case .sensorRegistered(let sensor):
      guard let state = sensor.content["state"] else { return }
      see(sensor.uniqueID, state, .registration, entry.time)
    case .located(let location):
      guard let longitude = location["gps"]?[1]?.number else { return }
      locations.append(Located(at: entry.time, longitude: longitude, way: .state))
    case .eventFired(Self.historyEvent, let data): takeHistory(data, at: entry.time)
    case .eventFired(let type, _): complaints.append("an event of the type \(type)")
    case .refused(let refused): takeRefused(refused, at: entry.time)
    default: break
    }
  }

  private func see(_ sensor: String, _ state: JSON, _ way: Way, _ time: Moment) {
    sightings.append(
      Sighting(at: time, sensor: sensor, value: state.plainText, way: way, isLate: isLate))
  }

  private func takeRefused(_ refused: Refused, at time: Moment) {
    switch refused.refusal {
    case .disabledSensor(let id), .valueIgnored(let id, _):
      guard let state = refused.content?["state"] else { return }
      see(id, state, .unshown, time)
    // What the model does to it: restarts, deletions, keys, tokens and forgotten sensors.
    case .unauthorized, .unknownWebhook, .supersededWebhook, .goneWebhook, .stillStarting,
      .notLoaded, .undecryptable, .notRegistered:
      break
    // It was just enabled, which the model does; what it shows in the end is looked at.
    case .entityCannotStart(_, Sensor.silenceOfEnabled): break
    case .encryptionRequired, .noSecret: keyDisputes.append(refused.reason)
    // Over the WebSocket, and where tokens are made: what it does to tokens, registrations and
    // itself.
    case .login(.invalidGrant), .socket, .command("not_found", _),
      .command("unknown_command", _), .encryptionAlreadyEnabled:
      break
    default: complaints.append(refused.reason)
    }
  }

  private func takeHistory(_ data: JSONObject, at time: Moment) {
    let sensors = data["sensors"]?.array ?? []
    let readings = data["readings"]?.array ?? []
    let chunk = chunks.count
    for reading in readings {
      guard let moment = reading[0]?.number, let index = reading[1]?.number, let value = reading[2],
        sensors.indices.contains(Int(index)), let sensor = sensors[Int(index)].string
      else {
        complaints.append("a reading of history that is none: \(reading)")
        continue
      }
      sightings.append(
        Sighting(
          at: time, sensor: sensor, value: value.plainText, way: .history(chunk: chunk),
          time: moment, isLate: isLate))
    }
    for point in data["points"]?.array ?? [] {
      guard let longitude = point[2]?.number else {
        complaints.append("a point of history that is none: \(point)")
        continue
      }
      locations.append(Located(at: time, longitude: longitude, way: .history(chunk: chunk)))
    }
    chunks.append(
      Chunk(
        at: time, first: data["first"]?.number.map { Int($0) },
        last: data["last"]?.number.map { Int($0) },
        isClockTrusted: data["clock"]?.string == "set", readingCount: readings.count,
        byteCount: JSON.object(data).bytes.count))
  }
}

extension JSON {
  fileprivate var plainText: String { string ?? String(decoding: bytes, as: UTF8.self) }
}
