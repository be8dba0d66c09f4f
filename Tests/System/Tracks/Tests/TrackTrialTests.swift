import Bytes
import Foundation
import Sensing
import Testing
import TrackTrials

/// What the filter makes of whole voyages, within bounds.
@Suite struct TrackTrialTests {
  private static let settings = TrackFilter.Settings(
    every: .seconds(60), distanceMeters: 200, turnDegrees: 20)

  private func trial(_ voyage: Voyage) -> TrackTrial {
    TrackTrial(voyage, Self.settings, cycle: .seconds(10))
  }

  private struct Bounds {
    let points: ClosedRange<Int>
    let metersMax: Double
    let parkedMax: Int
  }
  private static let bounds = [
    (Voyage.nightAtAnchor, Bounds(points: 40...60, metersMax: 40, parkedMax: 40)),
    (.roughAnchorage, Bounds(points: 32...50, metersMax: 60, parkedMax: 45)),
    (.tacks, Bounds(points: 80...110, metersMax: 25, parkedMax: 0)),
    (.motorway, Bounds(points: 360...370, metersMax: 20, parkedMax: 2)),
    (.walk, Bounds(points: 40...60, metersMax: 45, parkedMax: 8)),
    (.parkedCar, Bounds(points: 70...90, metersMax: 30, parkedMax: 52)),
  ]

  @Test func ofAVoyageLittleIsKeptAndLittleIsLost() {
    for (voyage, bounds) in Self.bounds {
      let trial = trial(voyage)
      #expect(bounds.points.contains(trial.points.count), "\(voyage)")
      #expect(trial.largestDistanceMeters <= bounds.metersMax, "\(voyage)")
      #expect(trial.pointsWhileParked <= bounds.parkedMax, "\(voyage)")
      #expect(trial.refusedCount == 0, "\(voyage)")
    }
  }

  @Test func theRecordedDriveKeepsItsCorners() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../deploy/lab/drive.nmea")
    let voyage = try #require(Voyage(name: "drive", recording: [UInt8](Data(contentsOf: file))))
    #expect(voyage.fixes.count > 600)
    let trial = trial(voyage)
    #expect((40...50).contains(trial.points.count))
    #expect(trial.largestDistanceMeters < 35)
    #expect(trial.refusedCount == 0)
  }

  @Test func aGPXFileIsARecordingToo() throws {
    let text = """
      <gpx><trk><trkseg>
      <trkpt lat="54.1" lon="10.2"><time>2027-05-01T12:00:00Z</time></trkpt>
      <trkpt lat="54.2" lon="10.3"><time>2027-05-01T12:00:10Z</time><speed>3.5</speed></trkpt>
      <trkpt lat="54.2"><time>2027-05-01T12:00:20Z</time></trkpt>
      </trkseg></trk></gpx>
      """
    let voyage = try #require(Voyage(name: "gpx", recording: [UInt8](text.utf8)))
    #expect(voyage.fixes.map(\.latitude) == [54.1, 54.2])
    #expect(voyage.fixes[1].speedMetersPerSecond == 3.5)
    #expect(voyage.fixes[1].notBefore - voyage.fixes[0].notBefore == .seconds(10))
    #expect(Voyage(name: "none", recording: [UInt8]("nothing".utf8)) == nil)
  }
}
