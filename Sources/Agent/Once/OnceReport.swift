import Board
import Bytes
import CLinux
import HomeAssistant
import Outbox
import Sensing

/// The result of `homeward run --once` for its readings and the history that waited.
struct OnceReport {
  /// Outcome of the last delivery; nil if none ended in time.
  let outcome: Uplink.Outcome?
  let counts: Uplink.Counts
  /// Number of readings and fixes that Home Assistant does not have.
  let leftCount: Int
  /// Number of hours that are missing in Home Assistant's long-term statistics.
  let leftHourCount: Int
  /// Whether the configuration limits the rate of history.
  let isPaced: Bool
  /// Whether the undelivered entries are on the disk.
  let isKept: Bool
  /// Whether a position was wanted, and there was no fix.
  var isFixMissing = false

  private var isLeft: Bool { leftCount > 0 || leftHourCount > 0 }

  /// Exit code from the entries that wait and the missing fix; the last answer only decides who can
  /// solve the problem.
  var code: ExitCode {
    guard !isLeft, outcome == .proven else {
      let code = outcome?.exitCode ?? .temporaryFailure
      return code == .success || code == .dataError ? .temporaryFailure : code
    }
    if counts.refused > 0 { return .dataError }
    return isFixMissing ? .temporaryFailure : .success
  }

  /// Prints the table on a descriptor and logs the verdict. A journal gets no values and positions.
  func tell(_ batch: Batch, _ fix: Fix?, _ log: Log, on descriptor: Int32) {
    if !log.isJournal { writeToTerminal(table(of: batch, fix), descriptor) }
    if code == .success { log.notice(verdict) } else { log.error(verdict) }
  }

  private func table(of batch: Batch, _ fix: Fix?) -> [UInt8] {
    var table = ListTable(["sensor", "value", "Home Assistant"])
    for index in 0..<batch.sensors.count {
      let sensor = SensorIndex(index)
      guard let value = batch.value(of: sensor) else { continue }
      let description = batch.sensors[sensor]
      table.append([
        "\(bytes: description.name.printable)", value.words(in: description.unit),
        "\(word(for: batch.fate(of: sensor)))",
      ])
    }
    if let fix {
      let fate: Batch.Fate = counts.locations > 0 ? .taken : leftCount > 0 ? .kept : .refused
      table.append(["location", Self.words(fix), "\(word(for: fate))"])
    }
    return table.lines
  }

  private func word(for fate: Batch.Fate) -> StaticString {
    switch fate {
    case .taken: "taken"
    case .kept: isKept ? "kept" : "lost"
    case .refused: "refused"
    }
  }

  /// Returns the position to a metre: `52.93421, 5.03243, 16 m`.
  private static func words(_ fix: Fix) -> MessageText {
    var text = ByteBuffer(capacity: 96)
    text.append(fix.latitude, decimals: 5)
    text.append(", ")
    text.append(fix.longitude, decimals: 5)
    if let error = fix.horizontalErrorMeters {
      text.append(" within ")
      text.append(error, decimals: 0)
      text.append(" m")
    }
    return MessageText(bytes: [UInt8](text.bytes))
  }

  var verdict: MessageText {
    guard isFixMissing else { return delivered }
    return isLeft ? "\(delivered). \(Self.noFix)" : "\(delivered) \(Self.noFix)"
  }

  private static let noFix: MessageText =
    "There was no fix: does the antenna see the sky? \(Arguments.command("check")) shows what the"
    + " receiver lacks; --timeout gives it more time"

  private var delivered: MessageText {
    let history: MessageText =
      counts.history > 0 ? " As history: \(entries: counts.history)." : ""
    guard isLeft || outcome != .proven else {
      return counts.refused > 0
        ? "Home Assistant has everything except the refused values named above.\(history)"
        : isFixMissing
          ? "Home Assistant has all readings, but no position.\(history)"
          : "Home Assistant has everything.\(history)"
    }
    guard isLeft else {
      return "Home Assistant was not reached; nothing is left to"
        + " send.\(history)"
    }
    let remedy: MessageText =
      if !isKept {
        "they are lost: nothing is stored on disk"
      } else if isPaced, outcome == .proven {
        "history.bytes_per_minute allows no more in this time; raise --timeout"
      } else {
        "they are stored and sent with the next run"
      }
    var left: MessageText = "\(entries: leftCount)"
    if leftHourCount > 0 { left = "\(left) and \(leftHourCount, "hour") of statistics" }
    return
      "Home Assistant does not have everything.\(history) Left: \(left); \(remedy)"
  }
}

extension OnceReport {
  init(_ configuration: Configuration, _ driver: UplinkDriver) {
    self.init(
      outcome: driver.uplink.outcome, counts: driver.uplink.counts,
      leftCount: driver.uplink.delivery.history.entryCount,
      leftHourCount: driver.uplink.waitingHours.count,
      isPaced: configuration.history.bytesPerMinute != nil,
      isKept: driver.uplink.delivery.history.spool.failure == nil
        && configuration.durability != .memory,
      isFixMissing: configuration.location != nil && driver.uplink.lastFix == nil
        && !driver.uplink.power.effect.isReceiverOff)
  }
}

extension Uplink.Outcome {
  fileprivate var exitCode: ExitCode {
    switch self {
    case .proven: .success
    case .outage(let cause): cause.exitCode
    case .notRegistered(let problem): problem.exitCode
    case .postponed: .temporaryFailure
    }
  }
}
