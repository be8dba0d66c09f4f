import Foundation
import Testing

private let environment = ProcessInfo.processInfo.environment

@Suite struct SimulationTests {
  /// `HOMEWARD_DAYS` asks for more of them, or for less.
  private static let dayCount = environment["HOMEWARD_DAYS"].flatMap { UInt64($0) } ?? 1000
  private static let shardCount: UInt64 = 20

  @Test(arguments: 0..<Self.shardCount)
  func nothingIsLostOnABadDay(shard: UInt64) {
    for seed in stride(from: shard, to: Self.dayCount, by: Int(Self.shardCount)) {
      for complaint in Day(seed: seed).live() { Issue.record("seed \(seed): \(complaint)") }
    }
  }

  private static let askedFor = environment["HOMEWARD_SEED"]

  /// `HOMEWARD_SEED=7 swift test --filter theDayThatIsAskedFor` tells all of the day with that
  /// seed.
  @Test(.enabled(if: Self.askedFor != nil, "HOMEWARD_SEED names no day"))
  func theDayThatIsAskedFor() throws {
    let seed = try #require(Self.askedFor.flatMap { UInt64($0) })
    for complaint in Day(seed: seed, isTold: true).live() {
      Issue.record("seed \(seed): \(complaint)")
    }
  }
}
