import Bytes
import Sensing

/// A sensor of the board. No two of its values are alike, and none like another sensor's, so that
/// each reading can be found again wherever it ends.
struct BoardSensor {
  enum Kind { case number, text }

  let id: String
  let kind: Kind
  let isUrgent: Bool
  /// Of the cycles that it is sampled in, how many of 100 bring another value.
  let changesPerHundred: UInt64
  var number: Int

  var value: Value {
    switch kind {
    case .number: .number(FixedPoint(Int64(number)))
    case .text: .text(InlineText([UInt8]("t\(number)".utf8).span))
    }
  }

  var description: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8](id.utf8), name: [UInt8](id.utf8),
      stateClass: kind == .number ? [UInt8]("measurement".utf8) : nil,
      icon: [UInt8]("mdi:eye".utf8), isUrgent: isUrgent)
  }

  /// The number behind a value as Home Assistant has it.
  static func number(of value: String) -> Int? {
    Int(value.first == "t" ? value.dropFirst() : value[...])
  }
}

/// What the board senses: it goes on whether or not there is an agent to be told.
struct Board {
  private(set) var sensors: [BoardSensor]
  private var lastNumber = 0
  /// The fixes so far; each has a longitude of its own.
  private var fixCount = 0
  private let fixesPerHundred: UInt64
  private var random: SplitMix64

  init(sensorCount: Int, fixesPerHundred: UInt64, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    sensors = (0..<sensorCount).map { place in
      BoardSensor(
        id: "sensor\(place)", kind: place == 1 ? .text : .number, isUrgent: place == 0,
        changesPerHundred: 10 + random.next() % 90, number: place)
    }
    self.random = random
    self.fixesPerHundred = fixesPerHundred
    lastNumber = sensorCount
  }

  /// Time goes by between two cycles.
  mutating func advance() {
    for place in sensors.indices where random.next() % 100 < sensors[place].changesPerHundred {
      change(place)
    }
  }

  mutating func change(_ place: Int) {
    lastNumber += 1
    sensors[place].number = lastNumber
  }

  /// A new agent may declare its sensors in another order.
  mutating func shuffle() { sensors.shuffle(using: &random) }

  /// Now and then the receiver has one; it may be a while old.
  mutating func fix(now: Instant, time: WallTime) -> Fix? {
    guard random.next() % 100 < fixesPerHundred else { return nil }
    fixCount += 1
    let age = Duration.seconds(Int64(random.next() % 100 < 90 ? 0 : random.next() % 90))
    return Fix(
      mode: .twoDimensional, latitude: 52, longitude: Self.longitude(ofFix: fixCount),
      horizontalErrorMeters: 3, time: time - age, notBefore: now + (.zero - age))
  }

  private static func longitude(ofFix number: Int) -> Double { Double(number) / 1000 }

  static func fixNumber(longitude: Double) -> Int { Int((longitude * 1000).rounded()) }
}
