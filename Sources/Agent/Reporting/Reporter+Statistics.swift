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
      report(
        .notice, once: topic,
        "imported \(hours, "hour") of an outage into Home Assistant's statistics of"
          + " \(quoted: uniqueID)")
      events.write("statistics_imported") {
        $0.appendMember("sensor", uniqueID.span)
        $0.appendMember("hours", hours)
      }
    case .failed(let problem):
      let uniqueID = problem.uniqueID ?? []
      let topic = Troubles.Topic(.statistics, InlineText(uniqueID.span))
      report(.warning, topic, problem.words)
      events.write("statistics_failed", "cause", problem.code)
    }
  }

  func hoursNotKept(_ error: Errno) {
    log.error(
      "the hours for Home Assistant's statistics are in memory only, and are lost when the agent"
        + " stops: state_directory cannot be used (\(error))")
  }

  func statisticsSetAside() {
    log.warning(
      "statistics.hours in state_directory is damaged, or from another device or a newer version;"
        + " it was renamed to statistics.hours.aside, and its hours will be missing in the"
        + " statistics")
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
      "statistics are not imported yet: Home Assistant does not report its id of this device;"
        + " update Home Assistant, or remove history.statistics. The agent retries in a day"
    case .notAllowed:
      "statistics are not imported yet: only an administrator may import them; make the user of"
        + " this board one (Settings, People), or remove history.statistics. The agent retries in a"
        + " day, and after a restart"
    case .refused(nil, let error):
      "statistics are not imported yet: \(shown: error.summary). The agent retries"
    case .refused(let uniqueID?, let error):
      "statistics of \(quoted: uniqueID) are not imported yet: \(shown: error.summary). The agent"
        + " retries"
    case .notFound(let uniqueID):
      "statistics of \(quoted: uniqueID) are not imported yet: Home Assistant has none of it; is it"
        + " disabled there, or excluded from the recorder? The agent retries"
    case .notCompiled:
      "statistics are not imported yet: Home Assistant compiles none of this board; check its"
        + " recorder. The agent retries"
    case .notKept(let uniqueID):
      "statistics of \(quoted: uniqueID) are not imported yet: Home Assistant accepted but did not"
        + " store them; check its recorder. The agent retries"
    case .unfit(let uniqueID, let unit):
      "Home Assistant's statistics of \(quoted: uniqueID) are in \(shown: unit ?? "no unit"), to"
        + " which this sensor's unit cannot be converted: the hours of the outage are skipped"
    case .uncountable(let uniqueID):
      "hours of \(quoted: uniqueID) are missing in the statistics: the counter was reset, or Home"
        + " Assistant has no sum of the week before. The increase appears after the outage"
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
