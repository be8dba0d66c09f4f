import Sensing
import Testing

@testable import Board

/// Which fixes are kept, as a person writes it.
@Suite struct ConfigurationTrackTests {
  private func track(_ keys: String) throws -> TrackFilter.Settings? {
    let file = minimum + "location: { source: gpsd\(keys) }\n"
    return try Outcome.configuration(file).location?.track
  }

  @Test func withoutTheKeysEveryFixIsKept() throws { #expect(try track("") == nil) }

  @Test func eachKeyHasItsDefault() throws {
    #expect(try track(", moving: {}") == TrackFilter.Settings())
    #expect(
      try track(", parked: { every: 10s }") == TrackFilter.Settings(parkedEvery: .seconds(10)))
    #expect(
      try track(", moving: { or_turn: 5deg }")
        == TrackFilter.Settings(turnDegrees: 5, parkedEvery: .seconds(900)))
  }

  @Test(arguments: [
    ("1m", 1.0), ("50 m", 50), ("0.25km", 250), ("1.5nmi", 2778), ("1000km", 1_000_000),
    ("12.5m", 12.5),
  ])
  func aDistanceHasAUnit(_ written: String, _ meters: Double) throws {
    #expect(try track(", moving: { or_distance: \(written) }")?.distanceMeters == meters)
  }

  static let meters = "write for example 50m; the units are m, km or nmi"
  static let noNumber = "is not a number with a unit; write for example 50m"
  static let outOfRange = "is out of range; write 1 to 1000000 m"

  @Test(arguments: [
    ("moving: { or_distance: 50 }", 50, "moving.or_distance", "\"50\" has no unit; \(meters)"),
    (
      "moving: { or_distance: 50ft }", 50, "moving.or_distance",
      "\"50ft\" has another unit; write for example 50m; the units are m, km or nmi"
    ),
    ("moving: { or_distance: far }", 50, "moving.or_distance", "\"far\" \(noNumber)"),
    ("moving: { or_distance: 5.m }", 50, "moving.or_distance", "\"5.m\" \(noNumber)"),
    ("moving: { or_distance: 0.9m }", 50, "moving.or_distance", "\"0.9m\" \(outOfRange)"),
    ("moving: { or_distance: 1000.1km }", 50, "moving.or_distance", "\"1000.1km\" \(outOfRange)"),
    (
      "moving: { or_turn: 171° }", 46, "moving.or_turn",
      "\"171°\" is out of range; write 5 to 170 °"
    ),
    (
      "moving: { or_turn: 20m }", 46, "moving.or_turn",
      "\"20m\" has another unit; write for example 20°; the units are ° or deg"
    ),
    (
      "moving: { every: 0.9s }", 44, "moving.every",
      "\"0.9s\" is out of range; write a time from 1 s to 1 d"
    ),
    (
      "parked: { every: 9s }", 44, "parked.every",
      "\"9s\" is out of range; write a time from 10 s to 1 d"
    ),
    (
      "moving: { speed: 5 }", 37, "moving",
      "unknown key \"speed\"; write every, or_distance or or_turn"
    ),
    (
      "parked: { or_turn: 5° }", 37, "parked",
      "unknown key \"or_turn\"; the only key here is every"
    ),
    (
      "moving: 10s", 35, "moving",
      "keys and values are expected here; write for example moving: { every: 10s, or_distance: 50m,"
        + " or_turn: 20° }"
    ),
  ])
  func aMistakeIsNamed(_ key: String, _ column: Int, _ path: String, _ words: String) {
    let problem = Outcome.problem(minimum + "location: { source: gpsd, \(key) }\n")
    #expect(problem == "f:2:\(column): location.\(path): \(words)")
  }
}
