import Foundation
import Sensing
import TrackTrials

/// `tracks [FILE...]`: what the track filter keeps of recordings, and of voyages that are computed.
@main
struct Main {
  private static let cycle = Duration.seconds(10)
  private static let settings: [(String, TrackFilter.Settings)] = [
    ("every fix", TrackFilter.Settings()),
    (
      "60 s, 200 m, 20°",
      TrackFilter.Settings(every: .seconds(60), distanceMeters: 200, turnDegrees: 20)
    ),
    (
      "10 s, 50 m, 20°",
      TrackFilter.Settings(every: .seconds(10), distanceMeters: 50, turnDegrees: 20)
    ),
  ]

  static func main() {
    var voyages = Voyage.computed
    for path in CommandLine.arguments.dropFirst() {
      let name = URL(filePath: path).lastPathComponent
      guard let data = FileManager.default.contents(atPath: path),
        let voyage = Voyage(name: name, recording: [UInt8](data))
      else {
        FileHandle.standardError.write(Data("tracks: no position in \(path)\n".utf8))
        exit(65)
      }
      voyages.append(voyage)
    }
    printLine("", "moving", "fixes", "points", "refused", "largest distance", "points while parked")
    for voyage in voyages {
      for (name, settings) in settings { measure(voyage, name, settings) }
    }
  }

  private static func measure(_ voyage: Voyage, _ name: String, _ settings: TrackFilter.Settings) {
    let trial = TrackTrial(voyage, settings, cycle: cycle)
    printLine(
      voyage.name, name, "\(trial.fixes.count)", "\(trial.points.count)", "\(trial.refusedCount)",
      "\(Int(trial.largestDistanceMeters.rounded())) m", "\(trial.pointsWhileParked)")
  }

  private static func printLine(_ columns: String...) {
    let widths = [28, 18, 8, 8, 9, 18, 20]
    print(
      zip(columns, widths).enumerated().map { index, column in
        let padding = String(repeating: " ", count: max(0, column.1 - column.0.count))
        return index < 2 ? column.0 + padding : padding + column.0
      }.joined())
  }
}
