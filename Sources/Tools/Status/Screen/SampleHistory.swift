import Bytes

/// What a number was since the watching began, for a small graph: a fixed count of samples, of
/// which two become one whenever they are full, so that all of the time stays on the graph.
struct SampleHistory {
  static let capacity = 256
  /// What one sample is of at first: the graph grows by a column so often.
  static let sampleTime: Duration = .seconds(10)
  /// Stands for a time in which the number was not known.
  private static let gap = Int64.min
  /// Larger numbers are drawn as this one.
  private static let magnitudeMax: Int64 = 1 << 40

  private var samples: [Int64] = []
  /// How many values make a sample now.
  private var valuesPerSample: Int
  /// Of the sample that is being made.
  private var sum: Int64 = 0
  private var knownCount = 0
  private var count = 0
  /// The last one that was known.
  private(set) var latest: Int64?

  /// Of a number that is told so often.
  init(every: Duration) {
    samples.reserveCapacity(Self.capacity)
    valuesPerSample = Int(max(Self.sampleTime.nanoseconds / max(every.nanoseconds, 1), 1))
  }

  /// Whether the number was ever known.
  var isEmpty: Bool { latest == nil }

  /// The number is this now; nil where it is not known.
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

  /// The sample that is being made, as far as it is.
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

  /// All of the time in so many columns at most, the oldest first; nil where it was not known. A
  /// new sample changes the last column only, as long as there are enough.
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
  /// Draws a graph of so many rows, whose lowest level is `scale.lowerBound` and whose highest is
  /// the upper one.
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
      // The least one is seen too, unlike a gap.
      var rest = Int(max(above * levels / length, 1))
      for row in rows.reversed() where rest > 0 {
        let scalar = Self.block(min(rest, 8), isUnicode: isUnicode)
        put(
          [ScreenCell(scalar: scalar, style: .plain)], row: row, column: columns.lowerBound + index)
        rest -= 8
      }
    }
  }

  /// The mark of 1...8 eighths.
  private static func block(_ eighths: Int, isUnicode: Bool) -> UInt32 {
    if isUnicode { return 0x2580 + UInt32(eighths) }
    let marks: StaticString = "_.-:=+*#"
    return UInt32([UInt8](marks)[eighths - 1])
  }
}
