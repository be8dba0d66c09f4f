import Bytes

/// The WebSockets between the board and a home: what goes over one arrives in its order, or not at
/// all.
struct Sockets {
  struct Line {
    let life: Int
    let isStranger: Bool
    /// How often the network had changed when it was opened: no connection outlives that.
    let changes: Int
    /// Of the home; nil until it is open.
    fileprivate(set) var session: Int?
    /// When the last message arrives.
    var lastToHome = Instant(nanoseconds: 0)
    var lastToAgent = Instant(nanoseconds: 0)
  }

  private var lines: [Int: Line] = [:]
  private var count = 0
  private var random: SplitMix64
  /// Whether what the agent hears now comes from the board's own Home Assistant.
  var isAnswerOfHome = false
  /// Of the board's own home, and of the stranger's.
  var isHomeDuePlanned = [false, false]

  init(seed: UInt64) { random = SplitMix64(seed: seed ^ 0x50C4_E750) }

  subscript(number: Int) -> Line? { lines[number] }

  func number(ofSession session: Int, isStranger: Bool) -> Int? {
    lines.first { $0.value.session == session && $0.value.isStranger == isStranger }?.key
  }

  /// Returns what happens to it, and after what time; nil where nothing does.
  mutating func open(
    in weather: Weather, from life: Int, changes: Int
  ) -> (number: Int, fate: (SocketHappening, after: Duration)?) {
    count += 1
    lines[count] = Line(life: life, isStranger: weather == .stranger, changes: changes)
    switch weather {
    case .fair, .stranger, .slow, .lossy: return (count, (.opened, after: hop() + hop()))
    case .dark: return (count, nil)
    case .refused, .portal, .emptyObjects, .replays, .badGateway:
      return (count, (.failed, after: hop()))
    }
  }

  mutating func opened(_ number: Int, session: Int) { lines[number]?.session = session }

  mutating func close(_ number: Int) -> Line? { lines.removeValue(forKey: number) }

  /// Whether anything still goes over it.
  func isWhole(_ number: Int, _ weather: Weather, _ changes: Int) -> Bool {
    lines[number]?.changes == changes && [.fair, .slow, .lossy, .stranger].contains(weather)
  }

  /// When a message arrives, not before what was sent the same way earlier; nil if it never does.
  mutating func arrival(
    over number: Int, _ last: WritableKeyPath<Line, Instant>, _ weather: Weather, _ changes: Int,
    now: Instant
  ) -> Instant? {
    guard isWhole(number, weather, changes), var line = lines[number] else { return nil }
    line[keyPath: last] = max(line[keyPath: last], now + hop(weather))
    lines[number] = line
    return line[keyPath: last]
  }

  private mutating func hop(_ weather: Weather = .fair) -> Duration {
    switch weather {
    case .slow: .milliseconds(Int64(500 + random.next() % 8000))
    case .lossy: .milliseconds(Int64(5 + random.next() % 3000))
    default: .milliseconds(Int64(5 + random.next() % 200))
    }
  }
}
