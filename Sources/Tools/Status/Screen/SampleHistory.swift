import Bytes

/// History of a number since the watch began, for a small graph: a fixed number of samples. When
/// they are full, pairs are merged, so that all of the time stays on the graph.
struct SampleHistory {
  static let capacity = 256
  /// Duration of one sample at first: the graph grows by a column in this time.
  static let sampleTime: Duration = .seconds(10)
  /// Marker of a time in which the number was not known.
  private static let gap = Int64.min
  /// Larger numbers are drawn as this one.
  private static let magnitudeMax: Int64 = 1 << 40

  private var samples: [Int64] = []
  private var valuesPerSample: Int
  /// Sum and counts of the unfinished sample.
  private var sum: Int64 = 0
  private var knownCount = 0
  private var count = 0
  /// Last known value.
  private(set) var latest: Int64?

  /// Creates the history of a number that is reported at this interval.
  init(every: Duration) {
    samples.reserveCapacity(Self.capacity)
    valuesPerSample = Int(max(Self.sampleTime.nanoseconds / max(every.nanoseconds, 1), 1))
  }

  /// Whether the number was never known.
  var isEmpty: Bool { latest == nil }

  /// Appends the present value; nil if it is not known.
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

  /// Unfinished sample so far.
  private var current: Int64 { knownCount == 0 ? Self.gap : sum / Int64(knownCount) }

  private mutating func halve() {
    for index in 0..<Self.capacity / 2 {
      samples[index] = Self.mean(samples[2 * index..<2 * index + 2])
    }
    samples.removeLast(Self.capacity / 2)
    valuesPerSample = min(valuesPerSample * 2, 1 << 20)
  }

  private static func mean(_ samples: ArraySlice<Int64>) -> Int64 {
    var sum: Int64 = 0
    var count: Int64 = 0
    for sample in samples where sample != gap {
      sum += sample
      count += 1
    }
    return count == 0 ? gap : sum / count
  }

  /// Returns all of the time in at most `max` columns, oldest first; nil if the number was not
  /// known. As long as there are enough columns, a new sample changes only the last one.
  func columns(max: Int) -> [Int64?] {
    guard max > 0 else { return [] }
    let samples = count == 0 ? samples : samples + [current]
    let width = (samples.count + max - 1) / max
    var columns: [Int64?] = []
    var start = 0
    while start < samples.count {
      let end = min(start + width, samples.count)
      let mean = Self.mean(samples[start..<end])
      columns.append(mean == Self.gap ? nil : mean)
      start = end
    }
    return columns
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
