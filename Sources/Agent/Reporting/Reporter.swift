import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

/// Reports events to people and scripts, each once, with the remedy.
final class Reporter {
  let log: Log
  let events: EventStream
  let advice: SourceAdvice
  /// Login of the WebSocket.
  var login: Login?
  /// Last reported state of the disk.
  var toldDiskFailure: DiskFailure?
  /// Last reported number of lost readings.
  var toldLostCount = 0
  private var hasToldProof = false
  /// Problems that were reported.
  var troubles = Troubles()
  var commandLog = CommandLog()
  /// Number of delivered history entries that were not logged yet.
  var untoldHistoryCount = 0
  /// Clock for the rate of messages.
  let now: () -> Instant

  init(
    log: Log, events: EventStream, advice: SourceAdvice,
    now: @escaping () -> Instant = { Moment.now.instant }
  ) {
    self.log = log
    self.now = now
    self.events = events
    self.advice = advice
  }

  /// Logs a problem that begins or has a new cause; not one that is already reported.
  @inline(never)
  func report(
    _ level: Log.Level, _ topic: Troubles.Topic, _ words: MessageText, _ fields: [Log.Field] = []
  ) {
    guard let count = troubles.began(topic, words.bytes, now: now()) else { return }
    log.write(words + Self.leftOut(count), level, fields)
  }

  /// Logs an event without an end; not one that came too often.
  @inline(never)
  func report(
    _ level: Log.Level, once topic: Troubles.Topic, _ words: MessageText,
    _ fields: [Log.Field] = []
  ) {
    guard let count = troubles.happened(topic, now: now()) else { return }
    log.write(words + Self.leftOut(count), level, fields)
  }

  static func leftOut(_ count: Int) -> MessageText {
    count == 0 ? "" : " (\(count, "more time") since this was last logged)"
  }

  // MARK: The agent

  func started(_ configuration: Configuration, _ state: StateDirectory) {
    let upload: MessageText =
      configuration.uploadEvery.map { ", with an upload every \($0)" } ?? ""
    log.notice(
      "homeward \(homewardVersion) reports to \(bytes: configuration.homeAssistant.url) every"
        + " \(configuration.every)" + upload)
    events.write("started", "version", homewardVersion)
    let disk = state.readOnlyWords
    guard !disk.bytes.isEmpty else { return }
    log.error(
      "\(state.path) cannot be written: undelivered data is lost when the agent stops\(disk)"
    )
  }

  /// Reports that the last run crashed.
  func crashed(_ words: LastWords) {
    let time: MessageText = words.time.map { " at \(bytes: Text(iso8601: $0).bytes)" } ?? ""
    log.warning("the agent crashed\(time): \(bytes: words.line)")
    events.write("crashed")
  }

  /// Writes the last event. `undelivered` is the number of entries that Home Assistant does not
  /// have; the caller may add the readings.
  func stopped(
    _ counts: Uplink.Counts, undelivered: Int, _ writeWhatWasRead: (inout ByteBuffer) -> Void
  ) {
    events.write("stopped") {
      $0.appendMembers(of: counts)
      $0.appendMember("undelivered", undelivered)
      writeWhatWasRead(&$0)
    }
  }

  /// Logs the totals at the end of the work.
  func sayStopped(_ counts: Uplink.Counts, undelivered: Int) {
    tellLeftOutCommands(isEnding: true)
    log.notice(
      "stopped: \(counts.readings, "reading") and \(counts.locations, "location") proven,"
        + " \(counts.history) as history, \(counts.refused) refused, \(undelivered) not delivered"
        + " yet, \(counts.lost) lost")
  }

  /// Reports that another board was paired with this state directory.
  func onOtherBoard(_ words: MessageText) {
    log.error(words)
    events.write("other_board")
  }

  func reloading() {
    log.notice("the configuration is reloaded")
    events.write("reloading")
  }

  func reloadRefused(_ words: MessageText) {
    log.error(
      "the new configuration was rejected; the agent keeps running with the old one: \(words)")
    events.write("reload_refused")
  }

  // MARK: Sources

  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    var words = failure.words(of: source)
    if case .missing = failure { words = words + "; the agent keeps looking" }
    let remedy = advice.remedy(for: failure, of: source)
    report(
      .warning, Troubles.Topic(.source, source), "\(words.sentence) What to do: \(remedy)",
      [.source(source), .cause(failure.code)])
    events.write("source_failed") {
      $0.appendMember("source", source.bytes)
      $0.appendMember("cause", failure.code)
    }
  }

  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {
    log.notice(
      "\(source): \(receiver) is used of several receivers; location.device selects another one")
  }

  func sourceRecovered(_ source: InlineText) {
    if troubles.ended(Troubles.Topic(.source, source)) {
      log.notice("\(source) works again", [.source(source)])
    }
    events.write("source_recovered") { $0.appendMember("source", source.bytes) }
  }

  /// Reports a change of the anchor watch, without the position of the boat.
  func anchorChanged(_ status: AnchorMonitor.Status) {
    let words: MessageText = "anchor watch: \(status.words)"
    if case .outside = status.state { log.warning(words) } else { log.notice(words) }
    events.write("anchor", "state", status.state.code)
  }

  func sensorLeftOut(_ name: [UInt8]) {
    log.error(
      "\(quoted: name) is left out, and perhaps more sensors: an agent has at most"
        + " \(SensorTable.sensorsMax) sensors, a unique id at most \(Spool.uniqueIDByteCountMax)"
        + " bytes, and the states of all sensors must fit into one message")
  }

  // MARK: Registration

  func registered(as name: [UInt8], isPlain: Bool) {
    _ = troubles.ended(Troubles.Topic(.registration))
    log.notice("registered with Home Assistant as \(quoted: name)")
    // Home Assistant does that at each registration, also if the tracker was removed before.
    log.notice(
      "Home Assistant assigns a board that registers to the person of the token's user, whose"
        + " location follows it; remove its tracker (Settings, People) if it should not")
    if isPlain {
      log.warning(
        "Home Assistant gave no key: anyone on the network path can read and change the data")
    }
    events.write("registered")
  }

  func notRegistered(_ problem: Enrollment.Problem) {
    report(.error, Troubles.Topic(.registration), problem.words, [.cause(problem.code)])
    events.write("not_registered", "cause", problem.code)
  }

  func stateFailed(_ words: MessageText) {
    report(.error, once: Troubles.Topic(.state), words)
    events.write("state_failed")
  }

  // MARK: Delivery

  func uplink(_ event: Uplink.Event, of uplink: Uplink) {
    tellLeftOutCommands()
    switch event {
    case .delivery(.historyProven(let entries)):
      historyProven(entries, left: uplink.delivery.history.entryCount)
    case .delivery(let event):
      // In normal operation a cycle does not search for problems that have ended.
      if troubles.underWayCount > 0, case .proven = event,
        let route = uplink.delivery.routes.current?.route
      {
        _ = troubles.ended(Troubles.Topic(.route, InlineText(route.code)))
      }
      delivery(event, of: uplink.delivery.batch)
    case .registered(let isPlain): registered(as: uplink.identity.deviceName, isPlain: isPlain)
    case .notRegistered(let problem): notRegistered(problem)
    case .stateFailed(let words): stateFailed(MessageText(bytes: words))
    case .presence(let presence, let place): self.presence(presence, place)
    case .powerLevel(let every): powerLevel(uplink.power.levelWords, every: every)
    case .statistics(let event): statistics(event)
    case .hoursNotKept(let failure): hoursNotKept(Errno(code: failure.code))
    case .webSocket(let state): if let login { webSocket(state, of: login) }
    case .notified(let notification): self.notification(notification)
    case .command(let result): command(result)
    case .push(let event): push(event)
    }
  }

  func delivery(_ event: DeliveryEvent, of batch: Batch) {
    switch event {
    case .proven(let readings, let hasLocation): proven(readings, hasLocation: hasLocation)
    case .sensorRegistered: break
    case .sensorRefused(let sensor):
      refused(
        batch.sensors[sensor].uniqueID,
        "Home Assistant refused the sensor \(quoted: batch.sensors[sensor].name); it may be too old"
          + " for its device_class")
    case .readingRefused(let sensor):
      refused(
        batch.sensors[sensor].uniqueID,
        "Home Assistant refused a value of \(quoted: batch.sensors[sensor].name); please report it")
    case .sensorForgotten(let sensor):
      report(
        .notice, once: Troubles.Topic(.refusal, InlineText("forgotten")),
        "Home Assistant forgot the sensor \(quoted: batch.sensors[sensor].name); the agent registers"
          + " it again")
    case .outage(let cause): unproven(cause)
    case .recovered(let duration, let lost): recovered(after: duration, lost)
    case .superseded(let replaced): superseded("superseded", replaced)
    case .historyProven(let entries): historyProven(entries, left: 0)
    case .registrationDoubted(let duration): doubted(after: duration)
    case .configurationRead, .zonesRead, .registrationTold: break
    case .routeFailed(let route, let cause):
      report(
        .warning, Troubles.Topic(.route, InlineText(route.code)),
        "\(route.words) failed: \(cause.words). The agent tries the next one",
        [.route(route.code), .cause(cause.code)])
      events.write("route_failed") {
        $0.appendMember("route", route.code)
        $0.appendMember("cause", cause.code)
      }
    case .routeTaken(let route):
      report(
        .notice, once: Troubles.Topic(.way), "Home Assistant is now reached over \(route.words)",
        [.route(route.code)])
      events.write("route_taken", "route", route.code)
    case .configurationUnreadable:
      report(
        .warning, once: Troubles.Topic(.refusal, InlineText("configuration")),
        "the agent cannot read Home Assistant's configuration; please report it")
    case .registrationDropped:
      report(
        .warning, once: Troubles.Topic(.refusal, InlineText("device")),
        "Home Assistant refused an update of this device; please report it")
    case .locationDropped:
      report(
        .warning, once: Troubles.Topic(.refusal, InlineText("location")),
        "Home Assistant refused a location; please report it")
      events.write("location_refused")
    case .trackerMissing:
      log.warning(
        "Home Assistant's tracker of this device is disabled or missing: its locations are lost")
      events.write("tracker_missing")
    case .trackerFound: log.notice("Home Assistant's tracker of this device is back")
    case .sealed:
      log.notice("Home Assistant gave a key: messages are sealed now")
      events.write("sealed")
    case .sealingImpossible:
      log.warning("this Home Assistant cannot give keys: messages are not sealed")
    }
  }

  private func proven(_ readings: Int, hasLocation: Bool) {
    if !hasToldProof {
      hasToldProof = true
      log.notice(
        "Home Assistant accepts the data: \(readings, "reading") and"
          + " \(hasLocation ? 1 : 0, "location") arrived")
    } else if log.isDebugging {
      log.debug("proven: \(readings, "reading") and \(hasLocation ? 1 : 0, "location")")
    }
    events.write("proven") {
      $0.appendMember("readings", readings)
      $0.appendMember("locations", hasLocation ? 1 : 0)
    }
  }

  private func refused(_ uniqueID: [UInt8], _ words: MessageText) {
    report(.warning, once: Troubles.Topic(.refusal, InlineText(uniqueID.span)), words)
    events.write("refused") { $0.appendMember("sensor", uniqueID.span) }
  }

  private func unproven(_ cause: OutageCause) {
    report(
      .warning, Troubles.Topic(.outage),
      "\(cause.words). Readings are stored until Home Assistant accepts them",
      [.cause(cause.code)])
    events.write("outage", "cause", cause.code)
  }

  private func recovered(after duration: Duration, _ replaced: Batch.Superseded) {
    if troubles.ended(Troubles.Topic(.outage)) {
      log.notice(
        "Home Assistant accepts the data again after \(wholeSeconds: duration);"
          + " \(replaced.readings, "reading") and \(replaced.fixes, "location") replaced by newer"
          + " ones follow as history")
    }
    superseded("recovered", replaced)
  }

  private func superseded(_ event: StaticString, _ replaced: Batch.Superseded) {
    events.write(event) {
      $0.appendMember("superseded_readings", replaced.readings)
      $0.appendMember("superseded_fixes", replaced.fixes)
    }
  }

  private func doubted(after duration: Duration) {
    log.error(
      "for \(wholeSeconds: duration) Home Assistant has not confirmed that it knows this device. If"
        + " it was deleted there, pair this board again: \(Arguments.command("pair"))"
        + " (home_assistant.register_again does it); \(Arguments.command("check")) shows more."
        + " Readings are stored meanwhile")
    events.write("registration_doubted")
  }
}
