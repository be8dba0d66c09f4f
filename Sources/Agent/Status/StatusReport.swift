import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

/// The status of the running agent, for a client that asks; the rest is in the `Delivery`.
///
/// It is written as one JSON object on one line. A moment is an object: `at` is the wall-clock
/// time, and `seconds` the time since then or, for a future moment, until then. It contains no
/// secret: no token, no webhook id (which is in the cloudhook's address), no position. In every
/// part `state` and `cause` are words for scripts, and `text` is for people.
///
/// - `is_well`: whether Home Assistant accepts the data, no source fails, and the disk can be
///   written
/// - `version`, `started`: of the agent
/// - `home_assistant`: `state` (`untried`, `unregistered`, `outage`, `proven`), `cause` and `since`
///   of a problem, `protection`, `url`, `last_proof`, `next_attempt`
/// - `routes`: the best one first: the one in use with its start, and the reasons against the
///   others
/// - `network`: `state` (`home`, `away`, `unknown`), and the connection of the board; only if home
///   networks are configured
/// - `board`: `text` for the person who has to decide; only if another board was paired with this
///   state directory
/// - `websocket`: its state, if it is configured
/// - `relay`: whether the push relay answered (`works`, `failed`, `untried`), with the `cause`, and
///   its `last_answer`; only if it is configured
/// - `waiting`: the latest values and fix, if Home Assistant does not have them yet
/// - `history`: the entries that wait for a proof: their number `entries`, and whether the disk
///   stores them
/// - `disk`: whether waiting entries can be stored; `cause` (`full`, `read_only`) and `remedy`
/// - `statistics`: number of `hours` that wait for Home Assistant's long-term statistics, and the
///   reason; only if their import is configured
/// - `counts`: since the start, as at the end of `homeward run --json`
/// - `traffic`: `sent_bytes` and `received_bytes` since the start, as a data plan counts them
/// - `failing_sources`: the failure of each, its start and its `remedy`; the first
///   `sourcesShownMax` of `failing_source_count`
/// - `sensors`: the value of each, its `device_class`, and the time of the reading (or of the
///   change, for a source that reports changes); as many of `sensor_count` as there is room for
/// - `last_fix`: time of the last position
/// - `offset`: distance of the last fix from the first one since the start, to the east and to the
///   north, in `east_meters` and `north_meters`: enough to draw a track, without a position
/// - `accuracy`: of that fix, in `meters`, and `from`: its source (`eph`, `epx_epy` or `hdop`);
///   only if the receiver reports it
/// - `track`: `state` (`moving`, `parked`), and the result for that fix: `decision`, `is_kept`;
///   only if a track filter is configured
/// - `anchor`: the anchor watch: `state` (`unset`, `waiting`, `inside`, `outside`, `unknown`), its
///   origin (`set_by`: `line`, `command`), `radius_meters`, and `distance_meters` at the last fix;
///   only if it is configured
/// - `power`: the supply (`mains`, `battery`), the `level` of the power policy, and `hours_left` of
///   the battery, as far as known; only with a battery or a policy
/// - `notifications`: the latest of Home Assistant's that are not cleared: `title`, `message`, and
///   `received`; only if there are any
/// - `next_cycle`: time of the next cycle
struct StatusReport {
  /// Free space that a sensor needs: its longest name and text, all escaped, and the space that
  /// members leave free.
  private static let sensorByteCountMax = 4 * 1024
  static let sourcesShownMax = 32

  struct WebSocket {
    let state: ConnectionState
    /// Time at which the connection was last opened or closed.
    let since: Instant
  }

  /// The hours for Home Assistant's statistics.
  struct Statistics {
    let waitingHourCount: Int
    /// Last reported reason why they were not imported.
    let problem: StatisticsImport.Problem?
  }

  struct Network {
    let presence: HomeNetworks.Presence
    let place: NetworkPlace
  }

  let now: Moment
  let startedAt: Instant
  let nextCycleAt: Instant
  /// Nil if each cycle ends with an upload.
  var nextUploadAt: Instant?
  /// Nil if nothing waits for an attempt: the next one comes with the next cycle.
  let nextAttemptAt: Instant?
  /// Configured address.
  let url: [UInt8]
  /// Nil without a registration.
  let isSealed: Bool?
  /// Failure of the last attempt to register.
  let registrationProblem: Enrollment.Problem?
  /// Reason why the disk cannot be written; nil if it can.
  var diskFlaw: DiskFlaw?
  /// Nil if no home network is configured.
  let network: Network?
  /// Nil if it is not configured.
  let webSocket: WebSocket?
  /// Nil without a push relay.
  var relay: (answeredAt: Instant?, problem: PushFetch.Problem?)?
  /// Nil if no import is configured.
  let statistics: Statistics?
  let counts: Uplink.Counts
  var traffic: Traffic
  let failing: FailingSources
  let advice: SourceAdvice
  /// Last fix; its position is not reported.
  let lastFix: Fix?
  /// First fix since the start.
  var firstFix: Fix?
  /// Nil if every fix is kept.
  var track: TrackFilter?
  /// Nil without an anchor watch.
  var anchor: AnchorMonitor.Status?
  /// Nil without information about the supply.
  var power: PowerMonitor?
  var notifications = ShownNotifications()
  /// Nil if this board was paired.
  var otherBoardWords: MessageText?

  /// Replaces the contents of `document`, which holds `StateDirectory.statusByteCountMax`.
  func write(_ delivery: Delivery, into document: inout ByteBuffer) {
    document.removeAll()
    document.openJSONObject()
    let isWell = isWell(delivery) && failing.all.isEmpty && diskFlaw == nil
    document.appendMember("is_well", isWell)
    document.appendMember("version", homewardVersion)
    append(past: "started", startedAt, to: &document)
    appendHomeAssistant(delivery, to: &document)
    append(delivery.routes, to: &document)
    appendNetwork(to: &document)
    if let otherBoardWords {
      document.open("board")
      document.appendMember("text", words: otherBoardWords)
      document.closeJSONObject()
    }
    appendWebSocket(to: &document)
    appendRelay(to: &document)
    appendWaiting(delivery.batch, to: &document)
    append(delivery.history, to: &document)
    appendDisk(to: &document)
    appendStatistics(to: &document)
    document.open("counts")
    document.appendMembers(of: counts)
    document.closeJSONObject()
    document.open("traffic")
    document.appendMember("sent_bytes", traffic.sentByteCount)
    document.appendMember("received_bytes", traffic.receivedByteCount)
    document.closeJSONObject()
    appendFailing(to: &document)
    append(future: "next_cycle", nextCycleAt, to: &document)
    if let nextUploadAt { append(future: "next_upload", nextUploadAt, to: &document) }
    appendLastFix(to: &document)
    appendTrack(to: &document)
    appendAnchor(to: &document)
    appendPower(to: &document)
    appendNotifications(to: &document)
    appendSensors(delivery.batch, to: &document)
    document.closeJSONObject()
    document.append(UInt8(ascii: "\n"))
  }

  /// Whether Home Assistant accepts the data.
  func isWell(_ delivery: Delivery) -> Bool {
    isSealed != nil && delivery.status == .proven
  }

  // MARK: Moments

  func append(past key: StaticString, _ instant: Instant, to document: inout ByteBuffer) {
    append(key, (now.instant - instant).nanoseconds, isPast: true, to: &document)
  }

  /// Appends a future moment; one that is overdue counts as now.
  func append(future key: StaticString, _ instant: Instant, to document: inout ByteBuffer) {
    append(key, max((instant - now.instant).nanoseconds, 0), isPast: false, to: &document)
  }

  fileprivate func append(
    _ key: StaticString, _ distance: Int64, isPast: Bool, to document: inout ByteBuffer
  ) {
    let time = now.wallTime - .nanoseconds(isPast ? distance : -distance)
    let second: Int64 = 1_000_000_000
    document.appendMember(key) {
      $0.openJSONObject()
      $0.appendMember("at", Text(iso8601: time.wholeSeconds).bytes.span)
      $0.appendMember("seconds", distance / second)
      $0.closeJSONObject()
    }
  }

  // MARK: Parts

  private func appendWaiting(_ batch: Batch, to document: inout ByteBuffer) {
    document.open("waiting")
    document.appendMember("readings", batch.waitingReadingCount)
    document.appendMember("locations", batch.waitingFixCount)
    document.closeJSONObject()
  }

  private func append(_ history: borrowing History, to document: inout ByteBuffer) {
    document.open("history")
    let failure = history.spool.failure
    document.appendMember("is_well", failure == nil)
    document.appendMember("entries", history.entryCount)
    if let failure {
      document.appendMember(
        "text", words: "not stored on disk: \(Errno(code: failure.code))")
    }
    document.closeJSONObject()
  }

  private func appendDisk(to document: inout ByteBuffer) {
    document.open("disk")
    document.appendMember("is_well", diskFlaw == nil)
    if let diskFlaw {
      document.appendMember("cause", diskFlaw.code)
      document.appendMember("text", words: diskFlaw.words)
      document.appendMember("remedy", words: diskFlaw.remedy)
    }
    document.closeJSONObject()
  }

  private func appendStatistics(to document: inout ByteBuffer) {
    guard let statistics else { return }
    document.open("statistics")
    document.appendMember("is_well", statistics.problem == nil)
    document.appendMember("hours", statistics.waitingHourCount)
    if let problem = statistics.problem {
      document.appendMember("cause", problem.code)
      document.appendMember("text", words: problem.words)
    }
    document.closeJSONObject()
  }

  private func appendNotifications(to document: inout ByteBuffer) {
    guard !notifications.entries.isEmpty else { return }
    document.appendJSON(key: "notifications")
    document.openJSONArray()
    for entry in notifications.entries {
      document.openJSONObject()
      if let title = entry.title { document.appendMember("title", title.bytes.span) }
      document.appendMember("message", entry.message.bytes.span)
      append(past: "received", entry.receivedAt, to: &document)
      document.closeJSONObject()
    }
    document.closeJSONArray()
  }

  private func appendFailing(to document: inout ByteBuffer) {
    document.appendMember("failing_source_count", failing.all.count)
    document.appendJSON(key: "failing_sources")
    document.openJSONArray()
    for entry in failing.all.prefix(Self.sourcesShownMax) {
      document.openJSONObject()
      document.appendMember("source", entry.source.bytes)
      document.appendMember("cause", entry.failure.code)
      document.appendMember("text", words: entry.failure.words(of: entry.source))
      document.appendMember(
        "remedy", words: advice.remedy(for: entry.failure, of: entry.source))
      append(past: "since", entry.since, to: &document)
      document.closeJSONObject()
    }
    document.closeJSONArray()
  }
}

extension StatusReport {
  private func appendSensors(_ batch: Batch, to document: inout ByteBuffer) {
    document.appendMember("sensor_count", batch.sensors.count)
    document.appendJSON(key: "sensors")
    document.openJSONArray()
    for index in 0..<batch.sensors.count where document.freeCapacity > Self.sensorByteCountMax {
      let sensor = SensorIndex(index)
      guard let value = batch.value(of: sensor) else { continue }
      let description = batch.sensors[sensor]
      document.openJSONObject()
      document.appendMember("sensor", description.uniqueID.span)
      document.appendMember("name", description.name.span)
      document.appendJSON(key: "value")
      document.appendJSON(state: value)
      document.appendMember("text", words: value.words(in: description.unit))
      if let deviceClass = description.deviceClass {
        document.appendMember("device_class", deviceClass.span)
      }
      if let readAt = batch.readAt(of: sensor) {
        let age = max((now.wallTime - readAt).nanoseconds, 0)
        append("read", age, isPast: true, to: &document)
      }
      document.closeJSONObject()
    }
    document.closeJSONArray()
  }
}

extension WallTime {
  fileprivate var wholeSeconds: WallTime {
    WallTime(nanoseconds: nanoseconds - nanoseconds % 1_000_000_000)
  }
}

extension ByteBuffer {
  /// Opens an object that is a member.
  @inline(never)
  mutating func open(_ key: StaticString) {
    appendJSON(key: key)
    openJSONObject()
  }

  @inline(never)
  mutating func appendMember(_ key: StaticString, words text: MessageText) {
    appendMember(key, text.bytes.span)
  }
}

/// The sources that fail now, in the order of their first failure.
struct FailingSources {
  struct Entry {
    let source: InlineText
    var failure: SourceFailure
    /// Start of the failure, whatever its causes.
    let since: Instant
  }

  private(set) var all: [Entry] = []

  mutating func failed(_ source: InlineText, _ failure: SourceFailure, now: Instant) {
    if let index = index(of: source) {
      all[index].failure = failure
    } else {
      all.append(Entry(source: source, failure: failure, since: now))
    }
  }

  mutating func recovered(_ source: InlineText) {
    if let index = index(of: source) { all.remove(at: index) }
  }

  private func index(of source: InlineText) -> Int? {
    all.firstIndex { $0.source == source }
  }
}
