import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

/// How the running agent is, for a client that asks. The `Delivery` tells the rest of it.
///
/// It is written as one JSON object on one line. A moment is an object of its own: `at` is the wall
/// clock's, and `seconds` is how long ago it was or, of what is to come, how far off it is. Nothing
/// secret is in it: no token, no webhook id (which the cloudhook's address holds), no position. In
/// every part `state` and `cause` are words for scripts, and `text` is for people.
///
/// - `is_well`: whether all is: Home Assistant takes the data, no source fails, and the disk can be
///   written
/// - `version`, `started`: of the agent
/// - `home_assistant`: `state` (`untried`, `unregistered`, `outage`, `proven`), `cause` and `since`
///   of what is wrong, `protection`, `url`, `last_proof`, `next_attempt`
/// - `routes`: the best one first: what is taken since when, and why the others are not
/// - `network`: `state` (`home`, `away`, `unknown`), and what the board is connected to; only where
///   the configuration says which networks are home
/// - `board`: `text` for the person who has to decide; only where another board was paired with the
///   state directory of this one
/// - `websocket`: its state, where the configuration wants one
/// - `waiting`: the latest values and fix, where Home Assistant does not have them yet
/// - `history`: all that is kept until it is proven, how many `entries`, and whether the disk keeps
///   it
/// - `disk`: whether what waits can be kept there; `cause` (`full`, `read_only`) and `remedy`
/// - `statistics`: how many `hours` wait for Home Assistant's long-term statistics, and why; only
///   where the configuration wants them imported
/// - `counts`: since the start, as `homeward run --json` tells them at its end
/// - `traffic`: `sent_bytes` and `received_bytes` since the start, as a data plan counts them
/// - `failing_sources`: what each one fails with, since when, and its `remedy`; the first
///   `sourcesShownMax` of `failing_source_count`
/// - `sensors`: what each one says, its `device_class`, and when it said so (one that tells its
///   changes: when it changed); as many of `sensor_count` as there is room for
/// - `last_fix`: when the position was read last
/// - `offset`: how far that is to the east and to the north of the first fix since the start, in
///   `east_meters` and `north_meters`: a track can be drawn of it, and it tells no place
/// - `accuracy`: of that fix, in `meters`, and `from`: what it is made of (`eph`, `epx_epy` or
///   `hdop`); only where the receiver tells it
/// - `track`: `state` (`moving`, `parked`), and what became of that fix: `decision`, `is_kept`;
///   only where the configuration says which fixes are kept
/// - `anchor`: the anchor watch: `state` (`unset`, `waiting`, `inside`, `outside`, `unknown`), who
///   set it (`set_by`: `line`, `command`), `radius_meters`, and `distance_meters` by the last fix;
///   only where the configuration wants one
/// - `power`: the supply (`mains`, `battery`), the `level` of the power policy, and `hours_left` of
///   the battery, as far as they are known; only where there is a battery or a policy
/// - `notifications`: the latest of Home Assistant's that are not cleared: `title`, `message`, when
///   they were `received`; only where there are any
/// - `next_cycle`: when the sources are asked next
struct StatusReport {
  /// What has to be free for a sensor: its longest name and text of nothing but escapes, and what
  /// members leave free.
  private static let sensorByteCountMax = 4 * 1024
  static let sourcesShownMax = 32

  /// What is known of the WebSocket.
  struct WebSocket {
    let state: ConnectionState
    /// Since when it is open, or not.
    let since: Instant
  }

  /// What is known of the hours for Home Assistant's statistics.
  struct Statistics {
    let waitingHourCount: Int
    /// Why they were not imported, as it was told last.
    let problem: StatisticsImport.Problem?
  }

  /// What is known of the board's network.
  struct Network {
    let presence: HomeNetworks.Presence
    let place: NetworkPlace
  }

  let now: Moment
  let startedAt: Instant
  let nextCycleAt: Instant
  /// Nil where each cycle ends with an upload.
  var nextUploadAt: Instant?
  /// Nil where nothing waits for an attempt: the next one comes with the next cycle.
  let nextAttemptAt: Instant?
  /// The address of the configuration.
  let url: [UInt8]
  /// Nil where there is no registration.
  let isSealed: Bool?
  /// Why the last attempt to register failed.
  let registrationProblem: Enrollment.Problem?
  /// Why nothing can be kept on the disk; nil where it can.
  var diskFlaw: DiskFlaw?
  /// Nil where no network is known to be home.
  let network: Network?
  /// Nil where the configuration wants none.
  let webSocket: WebSocket?
  /// Nil where the configuration wants none imported.
  let statistics: Statistics?
  let counts: Uplink.Counts
  var traffic = Traffic(sentByteCount: 0, receivedByteCount: 0)
  let failing: FailingSources
  let advice: SourceAdvice
  /// What was read last; where that was is not told.
  let lastFix: Fix?
  /// What was read first.
  var firstFix: Fix?
  /// Nil where every fix is kept.
  var track: TrackFilter?
  /// Nil where there is no anchor watch.
  var anchor: AnchorMonitor.Status?
  /// Nil where nothing is known of it.
  var power: PowerMonitor?
  var notifications = ShownNotifications()
  /// Nil where this board was paired.
  var otherBoardWords: MessageText?

  /// Replaces what is in `document`, which holds `StateDirectory.statusByteCountMax`.
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
    appendWaiting(delivery.batch, to: &document)
    append(delivery.history, to: &document)
    appendDisk(to: &document)
    appendStatistics(to: &document)
    document.open("counts")
    document.appendMembers(of: counts)
    document.closeJSONObject()
    document.open("traffic")
    document.appendMember("sent_bytes", Int(clamping: traffic.sentByteCount))
    document.appendMember("received_bytes", Int(clamping: traffic.receivedByteCount))
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

  /// Whether Home Assistant takes the data.
  func isWell(_ delivery: Delivery) -> Bool {
    isSealed != nil && delivery.status == .proven
  }

  // MARK: Moments

  func append(past key: StaticString, _ instant: Instant, to document: inout ByteBuffer) {
    append(key, (now.instant - instant).nanoseconds, isPast: true, to: &document)
  }

  /// What is due already is due now.
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
      $0.appendMember("seconds", Int(clamping: distance / second))
      $0.closeJSONObject()
    }
  }

  // MARK: Parts

  private func appendWaiting(_ batch: borrowing Batch, to document: inout ByteBuffer) {
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
  /// How an uplink and the sources are.
  init(
    _ uplink: Uplink, url: [UInt8], webSocket: WebSocketTransport?,
    failing: FailingSources, advice: SourceAdvice, diskFlaw: DiskFlaw?,
    anchor: AnchorMonitor.Status?,
    startedAt: Instant, now: Moment
  ) {
    let registration = uplink.isRegistering ? nil : uplink.registration
    self.init(
      now: now, startedAt: startedAt, nextCycleAt: uplink.nextCycleAt,
      nextUploadAt: uplink.nextUploadAt,
      nextAttemptAt: uplink.nextAttemptAt, url: url, isSealed: registration.map { !$0.isPlain },
      registrationProblem: uplink.registrationProblem, diskFlaw: diskFlaw,
      network: uplink.knowsHome ? .init(presence: uplink.presence, place: uplink.place) : nil,
      webSocket: webSocket.map { .init(state: $0.state, since: $0.stateSince) },
      statistics: uplink.importsStatistics
        ? .init(waitingHourCount: uplink.waitingHours.count, problem: uplink.statisticsProblem)
        : nil,
      counts: uplink.counts, failing: failing, advice: advice, lastFix: uplink.lastFix,
      firstFix: uplink.firstFix, track: uplink.track, anchor: anchor,
      power: uplink.power, notifications: uplink.notifications)
  }
}

extension StatusReport {
  private func appendSensors(_ batch: borrowing Batch, to document: inout ByteBuffer) {
    document.appendMember("sensor_count", batch.sensorCount)
    document.appendJSON(key: "sensors")
    document.openJSONArray()
    for index in 0..<batch.sensorCount where document.freeCapacity > Self.sensorByteCountMax {
      let sensor = SensorIndex(index)
      guard let value = batch.value(of: sensor) else { continue }
      document.openJSONObject()
      document.appendMember("sensor", batch.uniqueID(of: sensor).span)
      document.appendMember("name", batch.name(of: sensor).span)
      document.appendJSON(key: "value")
      document.appendJSON(value: value)
      document.appendMember("text", words: value.words(in: batch.unit(of: sensor)))
      if let deviceClass = batch.deviceClass(of: sensor) {
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
  /// Without the fraction of its second.
  fileprivate var wholeSeconds: WallTime {
    WallTime(nanoseconds: nanoseconds - nanoseconds % 1_000_000_000)
  }
}

extension ByteBuffer {
  /// Begins an object that is a member.
  @inline(never)
  mutating func open(_ key: StaticString) {
    appendJSON(key: key)
    openJSONObject()
  }

  @inline(never)
  mutating func appendMember(_ key: StaticString, words text: MessageText) {
    appendMember(key, text.bytes.span)
  }

  @inline(never)
  mutating func appendMember(_ key: StaticString, _ truth: Bool) {
    appendMember(key) { $0.appendJSON(truth) }
  }
}
