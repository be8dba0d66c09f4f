import Board
import Bytes
import LinuxIO
import Outbox

// Reports about readings that cannot be delivered in time.

extension Reporter {
  /// Reports a delivered chunk of history and the number of entries left. The log has only the last
  /// chunk.
  func historyProven(_ entries: Int, left: Int) {
    untoldHistoryCount += entries
    let topic = Troubles.Topic(.history)
    if left == 0, troubles.happened(topic, now: now()) != nil {
      log.notice("\(entries: untoldHistoryCount, " earlier") reached Home Assistant as history")
      untoldHistoryCount = 0
    }
    events.write("history_proven") { $0.appendMember("entries", entries) }
  }

  /// Reports changes of the disk's state and of the losses.
  func spool(_ failure: DiskFailure?, _ losses: Spool.Losses) {
    if failure != toldDiskFailure {
      toldDiskFailure = failure
      if let failure {
        log.error(
          "undelivered data is in memory only, and is lost when the agent stops: the disk of"
            + " state_directory fails (\(Errno(code: failure.code)))")
        events.write("spool_failed")
      } else {
        log.notice("undelivered data is stored on disk again")
        events.write("spool_recovered")
      }
    }
    let lost = losses.entryCount
    // A line for every reading would fill the disk that is full.
    guard lost > toldLostCount * 2 else { return }
    toldLostCount = lost
    log.error(
      "lost since the start: \(entries: lost), because the storage was full (see"
        + " history.disk_megabytes), or the disk was damaged or unreadable")
    events.write("lost") { $0.appendMember("entries", lost) }
  }
}
