import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox

// Reports about the hours that are missing in Home Assistant's long-term statistics.

extension Reporter {
  func statistics(_ event: StatisticsImport.Event) {
    switch event {
    case .imported(let uniqueID, let hours):
      let topic = Troubles.Topic(.statistics, InlineText(uniqueID.span))
      _ = troubles.ended(topic)
      _ = troubles.ended(Troubles.Topic(.statistics))
      let words: MessageText =
        "Home Assistant's statistics of \(quoted: uniqueID) have \(hours, "hour") of an outage now"
      if let words = telling(once: topic, words) { log.notice(words) }
      events.write("statistics_imported") {
        $0.appendMember("sensor", uniqueID.span)
        $0.appendMember("hours", hours)
      }
    case .failed(let problem):
      let uniqueID = problem.uniqueID ?? []
      let topic = Troubles.Topic(.statistics, InlineText(uniqueID.span))
      if let words = telling(topic, problem.words) { log.warning(words) }
      events.write("statistics_failed") { $0.appendMember("cause", problem.code) }
    }
  }

  func hoursNotKept(_ error: Errno) {
    log.error(
      "the hours for Home Assistant's statistics are in memory only, and are lost when the agent"
        + " ends: state_directory cannot be used (\(error))")
  }

  func statisticsSetAside() {
    log.warning(
      "statistics.hours in state_directory is damaged, of another device or of a newer version; it"
        + " was renamed to statistics.hours.aside, and its hours will be missing in the statistics")
  }
}

extension StatisticsImport.Problem {
  /// Sensor that the problem is about; nil for all sensors.
  fileprivate var uniqueID: [UInt8]? {
    switch self {
    case .refused(let uniqueID, _): uniqueID
    case .notFound(let uniqueID), .notKept(let uniqueID), .unfit(let uniqueID, _),
      .uncountable(let uniqueID):
      uniqueID
    case .deviceUnknown, .notAllowed, .notCompiled: nil
    }
  }

  var words: MessageText {
    switch self {
    case .deviceUnknown:
      "hours for the statistics wait: Home Assistant does not say which of its devices this is;"
        + " update Home Assistant, or leave out history.statistics. It is tried again in a day"
    case .notAllowed:
      "hours for the statistics wait: only an administrator may import them; make the user of this"
        + " board one (Settings, People), or leave out history.statistics. It is tried again"
        + " in a day, and after a restart"
    case .refused(nil, let error):
      "hours for the statistics wait: \(shown: error.summary). It is tried again"
    case .refused(let uniqueID?, let error):
      "hours of \(quoted: uniqueID) for the statistics wait: \(shown: error.summary). It is tried"
        + " again"
    case .notFound(let uniqueID):
      "hours of \(quoted: uniqueID) for the statistics wait: Home Assistant keeps none of it; is it"
        + " disabled there, or left out of the recorder? It is tried again"
    case .notCompiled:
      "hours for the statistics wait: Home Assistant compiles none of this board; look whether its"
        + " recorder works. It is tried again"
    case .notKept(let uniqueID):
      "hours for the statistics wait: Home Assistant took those of \(quoted: uniqueID) and does not"
        + " have them; look whether its recorder works. It is tried again"
    case .unfit(let uniqueID, let unit):
      "Home Assistant's statistics of \(quoted: uniqueID) are in \(shown: unit ?? "no unit"), to"
        + " which this sensor's cannot be converted: the hours of the outage are left out"
    case .uncountable(let uniqueID):
      "hours of \(quoted: uniqueID) are left out of the statistics: the counter began anew, or Home"
        + " Assistant has no sum of the week before. What it has grown by stands after the outage"
    }
  }

  var code: StaticString {
    switch self {
    case .deviceUnknown: "device_unknown"
    case .notAllowed: "not_allowed"
    case .refused: "refused"
    case .notFound: "not_found"
    case .notCompiled: "not_compiled"
    case .notKept: "not_kept"
    case .unfit: "unfit"
    case .uncountable: "uncountable"
    }
  }
}
