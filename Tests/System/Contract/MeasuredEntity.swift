import Foundation
import Testing

/// A sensor of a new device, and what is asked and said of its statistics.
struct MeasuredEntity {
  let socket: WebSocket
  let id: String
  private let newDevice: Device?
  private let version: Version

  static let thermometer =
    #""state":68,"device_class":"temperature","unit_of_measurement":"°F","state_class":"measurement""#
  static let rainGauge =
    #""state":1,"device_class":"precipitation","unit_of_measurement":"mm","state_class":"total""#

  init(_ sensor: String, _ more: String) async throws {
    let device = try await Device.registered()
    try await device.register(sensor, "sensor", more)
    try await self.init(device.entityID(sensor), of: device)
  }

  /// An entity of another device, or one that will be.
  init(of id: String) async throws { try await self.init(id, of: nil) }

  private init(_ id: String, of device: Device?) async throws {
    newDevice = device
    socket = try await WebSocket.opened()
    self.id = id
    version = try await Server.required().version()
  }

  var device: Device { get throws { try #require(newDevice) } }

  /// A thermometer that measures in °F, which the metric home shows in °C.
  static func soil() async throws -> MeasuredEntity {
    try await MeasuredEntity("soil", thermometer)
  }

  /// The beginning of the day before the tests began, in seconds since 1970: the same day also for
  /// a test that midnight interrupts.
  private static let yesterday = (Int(Date().timeIntervalSince1970) / 86_400 - 1) * 86_400

  /// The beginning of an hour of yesterday, in seconds since 1970.
  static func second(ofHour hour: Int) -> Int { yesterday + hour * 3600 }

  static func time(ofHour hour: Int) -> JSON {
    let date = Date(timeIntervalSince1970: Double(second(ofHour: hour)))
    return .string(date.ISO8601Format())
  }

  /// The figures of an hour of yesterday.
  static func hour(_ hour: Int, _ figures: JSON) -> JSON {
    figures.replacing("start", time(ofHour: hour))
  }

  func metadata(unit: JSON = "°C", kind: JSON = "temperature", isMeter: Bool = false) -> JSON {
    let metadata: JSON = [
      "statistic_id": .string(id), "source": "recorder", "name": nil, "unit_of_measurement": unit,
      "has_mean": .bool(!isMeter), "has_sum": .bool(isMeter),
    ]
    guard version >= .knowsKindsOfMeans else { return metadata }
    return metadata.replacing("mean_type", isMeter ? 0 : 1).replacing("unit_class", kind)
  }

  func bring(_ metadata: JSON, _ hours: JSON...) async throws {
    let request: JSON = ["metadata": metadata, "stats": .array(hours)]
    #expect(try await socket.result("recorder/import_statistics", request) == .null)
  }

  func refusal(_ metadata: JSON, _ hours: JSON..., on other: WebSocket? = nil) async throws -> JSON
  {
    let request: JSON = ["metadata": metadata, "stats": .array(hours)]
    return try await (other ?? socket).refusal("recorder/import_statistics", request)
  }

  /// Yesterday's hours, as soon as the last of them has this figure, or as they still are when the
  /// settling time has passed: what is imported is answered first, and done then.
  func hours(
    _ more: JSON = [:], until figure: String, is value: Double
  ) async throws -> [JSON] {
    let isThere = { (hours: [JSON]) in abs((hours.last?[figure].number ?? .nan) - value) < 1e-6 }
    let hours = try await Server.settled(until: isThere) { try await self.hours(more) }
    #expect(isThere(hours), "\(figure) never became \(value): \(hours)")
    return hours
  }

  func hours(_ more: JSON = [:]) async throws -> [JSON] {
    var question: JSON = [
      "start_time": Self.time(ofHour: 0), "end_time": Self.time(ofHour: 24), "period": "hour",
      "statistic_ids": [.string(id)],
    ]
    for key in more.keys { question = question.replacing(key, more[key]) }
    return try await socket.result("recorder/statistics_during_period", question)[id].elements
  }

  func description() async throws -> JSON {
    let ids: JSON = ["statistic_ids": [.string(id)]]
    let all = try await socket.result("recorder/get_statistics_metadata", ids).elements
    #expect(all.count == 1)
    return all.first ?? .absent
  }
}
