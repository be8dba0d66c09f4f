import Bytes
import Sensing

@testable import Outbox

/// What the sensors of the board measured, by the hour, as Home Assistant's statistics must have it
/// where Home Assistant was not reached: computed from what the agent was given, and from when.
struct MeasuredHours {
  struct Figures {
    let mean: Double
    let lowest: Double
    let highest: Double
    /// How long Home Assistant did not take the data.
    let unreached: Duration
  }

  /// An hour of a sensor.
  struct Name: Hashable {
    let sensor: String
    /// Counted from 1970.
    let number: Int64

    var start: WallTime { WallTime(startOfHour: number) }
    var end: WallTime { WallTime(startOfHour: number + 1) }
  }

  private struct Sample {
    let at: WallTime
    let value: Double
  }

  /// From one cycle to the next.
  private let every: Duration
  private var samples: [String: [Sample]] = [:]
  /// Whether an agent measures, by a clock that is right.
  private var turns: [(at: WallTime, isMeasuring: Bool)] = []
  private var reached: [(at: WallTime, isReached: Bool)] = []
  /// When the agent ended that alone knew of the hour.
  private var unkept: [Name: WallTime] = [:]

  init(every: Duration) { self.every = every }

  // MARK: What happens

  mutating func sampled(_ sensor: BoardSensor, at time: WallTime) {
    guard sensor.kind == .number else { return }
    samples[sensor.id, default: []].append(Sample(at: time, value: Double(sensor.number)))
  }

  /// An agent began or ended, or its clock was set.
  mutating func turned(isMeasuring: Bool, at time: WallTime) { turns.append((time, isMeasuring)) }

  mutating func reachChanged(_ isReached: Bool, at time: WallTime) {
    reached.append((time, isReached))
  }

  /// The agent ended, and the next one does not know of these.
  mutating func ended(without hours: Set<Name>, at time: WallTime) {
    for hour in hours { unkept[hour] = time }
  }

  // MARK: What must be

  var sensors: [String] { samples.keys.sorted() }

  /// The hours in which one agent measured all the time, and one cycle before and behind: what
  /// becomes of the others depends on when exactly it began.
  func undisturbed() -> Set<Int64> {
    guard let first = turns.first?.at, let last = reached.last?.at else { return [] }
    return Set((first.hour...max(first.hour, last.hour)).filter { isUndisturbed($0, last) })
  }

  private func isUndisturbed(_ number: Int64, _ last: WallTime) -> Bool {
    let start = WallTime(startOfHour: number) + (.zero - every)
    let end = WallTime(startOfHour: number + 1) + every
    guard end < last, turns.last(where: { $0.at < start })?.isMeasuring == true else {
      return false
    }
    return !turns.contains { $0.at >= start && $0.at <= end }
  }

  /// What an undisturbed hour was like; nil where the sensor said nothing before it.
  func figures(of hour: Name) -> Figures? {
    let (start, end) = (hour.start, hour.end)
    let samples = samples[hour.sensor] ?? []
    guard let former = samples.last(where: { $0.at < start }) else { return nil }
    var (value, since, sum) = (former.value, start, 0.0)
    var (lowest, highest) = (value, value)
    for sample in samples where sample.at >= start && sample.at < end {
      sum += value * Double((sample.at - since).nanoseconds)
      (value, since) = (sample.value, sample.at)
      (lowest, highest) = (min(lowest, value), max(highest, value))
    }
    sum += value * Double((end - since).nanoseconds)
    return Figures(
      mean: sum / Double((end - start).nanoseconds), lowest: lowest, highest: highest,
      unreached: unreached(from: start, to: end))
  }

  private func unreached(from start: WallTime, to end: WallTime) -> Duration {
    var (sum, since, isReached) = (Duration.zero, start, false)
    for change in reached where change.at < end {
      let moment = max(change.at, start)
      if !isReached { sum += moment - since }
      (since, isReached) = (moment, change.isReached)
    }
    return isReached ? sum : sum + (end - since)
  }

  /// Whether a sensor ever said so.
  func isMade(_ value: Double, by sensor: String) -> Bool {
    samples[sensor]?.contains { $0.value == value } ?? false
  }

  func endedWithout(_ hour: Name) -> WallTime? { unkept[hour] }
}
