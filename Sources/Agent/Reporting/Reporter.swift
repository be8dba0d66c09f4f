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

  /// Returns the message for a problem that begins or has a new cause; nil if it is already
  /// reported.
  func telling(_ topic: Troubles.Topic, _ words: MessageText) -> MessageText? {
    troubles.began(topic, words.bytes, now: now()).map { words + Self.leftOut($0) }
  }

  /// Returns the message for an event without an end; nil if it came too often.
  func telling(once topic: Troubles.Topic, _ words: MessageText) -> MessageText? {
    troubles.happened(topic, now: now()).map { words + Self.leftOut($0) }
  }

  static func leftOut(_ count: Int) -> MessageText {
    count == 0 ? "" : " (\(count, "time") more since this was told last)"
  }

  // MARK: The agent

  func started(_ configuration: Configuration, _ state: StateDirectory) {
    let upload: MessageText =
      configuration.uploadEvery.map { ", with an upload every \($0)" } ?? ""
    log.notice(
      "homeward \(homewardVersion) reports to \(bytes: configuration.homeAssistant.url) every"
        + " \(configuration.every)" + upload)
    events.write("started") { $0.appendMember("version", homewardVersion) }
    let disk = state.readOnlyWords
    guard !disk.bytes.isEmpty else { return }
    log.error(
      "\(state.path) cannot be written, and what is not delivered is lost when the agent ends\(disk)"
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
    log.notice("the configuration is read again")
    events.write("reloading")
  }

  func reloadRefused(_ words: MessageText) {
    log.error("the configuration is not taken, and the agent goes on as it is: \(words)")
    events.write("reload_refused")
  }

  // MARK: Sources

  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    var words = failure.words(of: source)
    if case .missing = failure { words = words + "; it is looked for again" }
    let remedy = advice.remedy(for: failure, of: source)
    if let words = telling(
      Troubles.Topic(.source, source), "\(words.sentence) What to do: \(remedy)")
    {
      log.warning(words, [.source(source), .cause(failure.code)])
    }
    events.write("source_failed") {
      $0.appendMember("source", source.bytes)
      $0.appendMember("cause", failure.code)
    }
  }

  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {
    log.notice(
      "\(source): of several receivers, \(receiver) is used; location.device names another one")
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
    events.write("anchor") { $0.appendMember("state", status.state.code) }
  }

  func sensorLeftOut(_ name: [UInt8]) {
    log.error(
      "\(quoted: name) is left out, and maybe others after it: an agent has \(SensorTable.sensorsMax)"
        + " sensors at most, a unique id has \(Spool.uniqueIDByteCountMax) bytes at most, and the states"
        + " of all sensors fit into one message")
  }

  // MARK: Registration

  func registered(as name: [UInt8], isPlain: Bool) {
    _ = troubles.ended(Troubles.Topic(.registration))
    log.notice("registered with Home Assistant as \(quoted: name)")
    if isPlain {
      log.warning(
        "Home Assistant gave no key: everybody on the way can read and change what is sent")
    }
    events.write("registered")
  }

  func notRegistered(_ problem: Enrollment.Problem) {
    if let words = telling(Troubles.Topic(.registration), problem.words) {
      log.error(words, [.cause(problem.code)])
    }
    events.write("not_registered") { $0.appendMember("cause", problem.code) }
  }

  func stateFailed(_ words: MessageText) {
    if let words = telling(once: Troubles.Topic(.state), words) { log.error(words) }
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
    case .registrationPostponed: break
    case .stateFailed(let words): stateFailed(MessageText(bytes: words))
    case .presence(let presence, let place): self.presence(presence, place)
    case .powerLevel(let every): powerLevel(uplink.power.levelWords, every: every)
    case .statistics(let event): statistics(event)
    case .hoursNotKept(let failure): hoursNotKept(Errno(code: failure.code))
    case .webSocket(let state): if let login { webSocket(state, of: login) }
    case .notified(let notification): self.notification(notification)
    case .command(let result): command(result)
    }
  }

  func delivery(_ event: DeliveryEvent, of batch: borrowing Batch) {
    switch event {
    case .proven(let readings, let hasLocation): proven(readings, hasLocation: hasLocation)
    case .sensorRegistered: break
    case .sensorRefused(let sensor):
      refused(
        batch.uniqueID(of: sensor),
        "Home Assistant does not want the sensor \(quoted: batch.name(of: sensor)); it may be too"
          + " old for its device_class")
    case .readingRefused(let sensor):
      refused(
        batch.uniqueID(of: sensor),
        "Home Assistant refused a value of \(quoted: batch.name(of: sensor)); please report it")
    case .sensorForgotten(let sensor):
      let words: MessageText =
        "Home Assistant forgot the sensor \(quoted: batch.name(of: sensor)); it is registered again"
      if let words = telling(once: Troubles.Topic(.refusal, InlineText("forgotten")), words) {
        log.notice(words)
      }
    case .outage(let cause): unproven(cause)
    case .recovered(let duration, let lost): recovered(after: duration, lost)
    case .superseded(let replaced): superseded("superseded", replaced)
    case .historyProven(let entries): historyProven(entries, left: 0)
    case .registrationDoubted(let duration): doubted(after: duration)
    case .configurationRead, .registrationTold: break
    case .routeFailed(let route, let cause):
      let topic = Troubles.Topic(.route, InlineText(route.code))
      if let words = telling(topic, "\(route.words) failed: \(cause.words). The next one is tried")
      {
        log.warning(words, [.route(route.code), .cause(cause.code)])
      }
      events.write("route_failed") {
        $0.appendMember("route", route.code)
        $0.appendMember("cause", cause.code)
      }
    case .routeTaken(let route):
      let words: MessageText = "Home Assistant is reached over \(route.words) from now on"
      if let words = telling(once: Troubles.Topic(.way), words) {
        log.notice(words, [.route(route.code)])
      }
      events.write("route_taken") { $0.appendMember("route", route.code) }
    case .configurationUnreadable:
      let words: MessageText =
        "Home Assistant's configuration is not what it should be; please report it"
      if let words = telling(once: Troubles.Topic(.refusal, InlineText("configuration")), words) {
        log.warning(words)
      }
    case .registrationDropped:
      log.warning(
        "Home Assistant did not want to know what has changed about this device; please report it")
    case .locationDropped:
      let words: MessageText = "Home Assistant did not take a location; please report it"
      if let words = telling(once: Troubles.Topic(.refusal, InlineText("location")), words) {
        log.warning(words)
      }
      events.write("location_refused")
    case .trackerMissing:
      log.warning(
        "Home Assistant's tracker of this device is disabled or missing: its locations go nowhere")
      events.write("tracker_missing")
    case .trackerFound: log.notice("Home Assistant's tracker of this device is there again")
    case .sealed:
      log.notice("Home Assistant gave a key: what is sent is sealed from now on")
      events.write("sealed")
    case .sealingImpossible:
      log.warning("this Home Assistant has no keys to give: what is sent is not sealed")
    }
  }

  private func proven(_ readings: Int, hasLocation: Bool) {
    if !hasToldProof {
      hasToldProof = true
      log.notice(
        "Home Assistant takes the data: \(readings, "reading") and"
          + " \(hasLocation ? 1 : 0, "location") came in")
    } else if log.isDebugging {
      log.debug("proven: \(readings, "reading") and \(hasLocation ? 1 : 0, "location")")
    }
    events.write("proven") {
      $0.appendMember("readings", readings)
      $0.appendMember("locations", hasLocation ? 1 : 0)
    }
  }

  private func refused(_ uniqueID: [UInt8], _ words: MessageText) {
    let topic = Troubles.Topic(.refusal, InlineText(uniqueID.span))
    if let words = telling(once: topic, words) { log.warning(words) }
    events.write("refused") { $0.appendMember("sensor", uniqueID.span) }
  }

  private func unproven(_ cause: OutageCause) {
    let words: MessageText =
      "\(cause.words). What is read meanwhile is kept, and sent when it takes it"
    if let words = telling(Troubles.Topic(.outage), words) {
      log.warning(words, [.cause(cause.code)])
    }
    events.write("outage") { $0.appendMember("cause", cause.code) }
  }

  private func recovered(after duration: Duration, _ replaced: Batch.Superseded) {
    if troubles.ended(Troubles.Topic(.outage)) { sayRecovered(after: duration, replaced) }
    superseded("recovered", replaced)
  }

  private func sayRecovered(after duration: Duration, _ replaced: Batch.Superseded) {
    log.notice(
      "Home Assistant takes the data again after \(wholeSeconds: duration);"
        + " \(replaced.readings, "reading") and \(replaced.fixes, "location") that newer ones"
        + " replaced meanwhile follow as history")
  }

  private func superseded(_ event: StaticString, _ replaced: Batch.Superseded) {
    events.write(event) {
      $0.appendMember("superseded_readings", replaced.readings)
      $0.appendMember("superseded_fixes", replaced.fixes)
    }
  }

  private func doubted(after duration: Duration) {
    log.error(
      "for \(wholeSeconds: duration) Home Assistant has not shown that it knows this device. If it"
        + " was deleted there, pair this board again: \(Arguments.command("pair")) (or let the agent"
        + " do it, by home_assistant.register_again); \(Arguments.command("check")) tells more. What"
        + " is read meanwhile is kept")
    events.write("registration_doubted")
  }
}
