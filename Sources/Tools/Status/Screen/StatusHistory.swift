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

  /// Records an answer of the agent.
  mutating func answered(_ status: AgentStatus, at moment: ScreenMoment) {
    let root = status.root
    let backlogs = [
      root["waiting"]?.number("readings"), root["waiting"]?.number("locations"),
      root["history"]?.number("entries"),
    ]
    backlog.append(backlogs.reduce(0) { $0 + Int64(min($1 ?? 0, 1 << 40)) })
    let sensors = root.list("sensors")
    Self.append(sensors, "battery", to: &battery, &batteryWords)
    Self.append(sensors, "signal_strength", to: &signal, &signalWords)
    fixed(root, at: moment)
  }

  /// Records that the agent did not answer.
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

/// Time of an event for the screen.
struct ScreenMoment {
  let instant: Instant
  /// Local wall-clock time.
  let local: WallTime

  // `seconds` is untrusted, but never negative.
  fileprivate func ago(_ seconds: Int) -> Instant {
    Instant(nanoseconds: instant.nanoseconds - Int64(min(seconds, 1 << 32)) * 1_000_000_000)
  }
}
