import Board
import Bytes

/// Answers of the agent since the watch began, as far as the picture shows them. Everything has a
/// fixed capacity.
struct StatusHistory {
  static let decisionsMax = 16
  /// Fixes closer in time than this are the same one: times come in whole seconds, and a cycle
  /// takes at least five seconds.
  private static let sameFixMax: Duration = .seconds(2)

  /// Decision on consecutive fixes, for the same reason.
  struct Decision {
    let words: MessageText
    var count: Int
    /// Local time of the last report.
    var local: WallTime
  }

  private(set) var battery: SampleHistory
  private(set) var signal: SampleHistory
  private(set) var backlog: SampleHistory
  private(set) var map = TrackMap()
  /// Newest first.
  private(set) var decisions: [Decision] = []
  private(set) var batteryWords: MessageText = ""
  private(set) var signalWords: MessageText = ""
  private var fixAt: Instant?
  private var startedAt: Instant?
  private var isWayKnown = false

  /// Creates the history of an agent that is asked at this interval.
  init(every: Duration) {
    battery = SampleHistory(every: every)
    signal = battery
    backlog = battery
  }

  mutating func answered(_ status: AgentStatus, at moment: ScreenMoment) {
    let root = status.root
    let backlogs = [
      root["waiting"]?.number("readings"), root["waiting"]?.number("locations"),
      root["history"]?.number("entries"),
    ]
    backlog.append(backlogs.reduce(0) { $0 + min(Int64($1 ?? 0), 1 << 40) })
    let sensors = root.list("sensors")
    Self.append(sensors, "battery", to: &battery, &batteryWords)
    Self.append(sensors, "signal_strength", to: &signal, &signalWords)
    fixed(root, at: moment)
  }

  mutating func unanswered() {
    battery.append(nil)
    signal.append(nil)
    backlog.append(nil)
    isWayKnown = false
  }

  /// Appends the first numeric sensor of a device class; a binary sensor can have one, too.
  private static func append(
    _ sensors: [StatusMembers], _ deviceClass: StaticString, to history: inout SampleHistory,
    _ words: inout MessageText
  ) {
    let sensor = sensors.first { $0.says("device_class", deviceClass) && $0.isTrue("value") == nil }
    history.append(sensor?.rounded("value"))
    words = sensor?.text("text") ?? "unknown"
  }

  private mutating func fixed(_ root: StatusMembers, at moment: ScreenMoment) {
    let started = moment.ago(root["started"]?.number("seconds") ?? 0)
    if let startedAt, started - startedAt > Self.sameFixMax {
      // The new agent counts metres from a first fix of its own.
      map.removeAll()
      fixAt = nil
    }
    startedAt = started
    guard let age = root["last_fix"]?.number("seconds") else { return }
    let fixAt = moment.ago(age)
    if let before = self.fixAt, fixAt - before < Self.sameFixMax { return }
    self.fixAt = fixAt
    let track = root["track"]
    if let track { decided(track.text("text"), at: moment.local) }
    let isRefused = ["jump", "inaccurate", "older"].contains { track?.says("decision", $0) == true }
    guard !isRefused, let offset = root["offset"], let east = offset.rounded("east_meters"),
      let north = offset.rounded("north_meters")
    else { return }
    map.append(east: Int(clamping: east), north: Int(clamping: north), isJoined: isWayKnown)
    isWayKnown = true
  }

  private mutating func decided(_ words: MessageText, at local: WallTime) {
    if let last = decisions.first, last.words.bytes == words.bytes {
      decisions[0].count += 1
      decisions[0].local = local
      return
    }
    if decisions.count == Self.decisionsMax { decisions.removeLast() }
    decisions.insert(Decision(words: words, count: 1, local: local), at: 0)
  }
}

struct ScreenMoment {
  let instant: Instant
  let local: WallTime

  // `seconds` is untrusted, but never negative.
  fileprivate func ago(_ seconds: Int) -> Instant {
    Instant(nanoseconds: instant.nanoseconds - min(Int64(seconds), 1 << 32) * 1_000_000_000)
  }
}

/// History of a number since the watch began, for a small graph: a fixed number of samples. When
/// they are full, pairs are merged, so that all of the time stays on the graph.
struct SampleHistory {
  static let capacity = 256
  /// Duration of one sample at first: the graph grows by a column in this time.
  static let sampleTime: Duration = .seconds(10)
  /// Larger numbers are drawn as this one.
  private static let magnitudeMax: Int64 = 1 << 40

  /// Means, or nil for a time in which the number was not known.
  private var samples: [Int64?] = []
  private var valuesPerSample: Int
  /// Sum and counts of the unfinished sample.
  private var sum: Int64 = 0
  private var knownCount = 0
  private var count = 0
  private(set) var latest: Int64?

  /// Creates the history of a number that is reported at this interval.
  init(every: Duration) {
    samples.reserveCapacity(Self.capacity)
    valuesPerSample = Int(max(Self.sampleTime.nanoseconds / max(every.nanoseconds, 1), 1))
  }

  var isEmpty: Bool { latest == nil }

  mutating func append(_ value: Int64?) {
    if let value {
      let value = min(max(value, -Self.magnitudeMax), Self.magnitudeMax)
      latest = value
      sum += value
      knownCount += 1
    }
    count += 1
    guard count >= valuesPerSample else { return }
    samples.append(current)
    (sum, knownCount, count) = (0, 0, 0)
    if samples.count == Self.capacity { halve() }
  }

  private var current: Int64? { knownCount == 0 ? nil : sum / Int64(knownCount) }

  private mutating func halve() {
    for index in 0..<Self.capacity / 2 {
      samples[index] = Self.mean(samples[2 * index..<2 * index + 2])
    }
    samples.removeLast(Self.capacity / 2)
    valuesPerSample = min(valuesPerSample * 2, 1 << 20)
  }

  private static func mean(_ samples: ArraySlice<Int64?>) -> Int64? {
    let known = samples.compactMap { $0 }
    return known.isEmpty ? nil : known.reduce(0, +) / Int64(known.count)
  }

  /// Returns all of the time in at most `max` columns, oldest first; nil if the number was not
  /// known. As long as there are enough columns, a new sample changes only the last one.
  func columns(max: Int) -> [Int64?] {
    let samples = count == 0 ? samples : samples + [current]
    guard max > 0, !samples.isEmpty else { return [] }
    let width = (samples.count + max - 1) / max
    return stride(from: 0, to: samples.count, by: width).map { start in
      Self.mean(samples[start..<min(start + width, samples.count)])
    }
  }
}

extension ScreenGrid {
  /// Draws a graph from `scale.lowerBound`, the lowest level, to `scale.upperBound`.
  mutating func draw(
    _ history: SampleHistory, scale: ClosedRange<Int64>, in rows: Range<Int>,
    _ columns: Range<Int>, isUnicode: Bool
  ) {
    let levels = Int64(rows.count * 8)
    let length = max(scale.upperBound - scale.lowerBound, 1)
    let values = history.columns(max: columns.count)
    for index in values.indices {
      guard let value = values[index] else { continue }
      let above = min(max(value, scale.lowerBound), scale.upperBound) - scale.lowerBound
      // The lowest level is visible, unlike a gap.
      var rest = Int(max(above * levels / length, 1))
      for row in rows.reversed() where rest > 0 {
        let scalar = Self.block(min(rest, 8), isUnicode: isUnicode)
        put(
          [ScreenCell(scalar: scalar, style: .plain)], row: row, column: columns.lowerBound + index)
        rest -= 8
      }
    }
  }

  /// Returns the character for 1...8 eighths.
  private static func block(_ eighths: Int, isUnicode: Bool) -> UInt32 {
    if isUnicode { return 0x2580 + UInt32(eighths) }
    let marks: StaticString = "_.-:=+*#"
    return UInt32([UInt8](marks)[eighths - 1])
  }
}
