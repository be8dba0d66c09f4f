import Board
import Bytes
import HomeAssistant
import Outbox

// Actions of an uplink on the state directory, other than the spool's.

extension StateDirectory {
  /// Performs a write, and reports the result to `uplink`.
  func perform(_ write: Uplink.StateWrite, for uplink: Uplink) {
    do throws(CommandFailure) {
      switch write {
      case .registration(let registration): try keep(registration)
      case .rejection(let fingerprint, let isForGood):
        try keep(rejectedFingerprint: fingerprint, isForGood: isForGood)
      case .acceptance(let fingerprint): try keep(acceptedFingerprint: fingerprint)
      case .keyless(let registration): try keepKeyless(registration)
      }
      uplink.stateWritten()
    } catch { uplink.stateFailed(words: error.text.bytes) }
  }

  /// Returns whether the result of a call can be stored, and reports it to `uplink`.
  func canKeepResult(of channel: Uplink.Channel, for uplink: Uplink) -> Bool {
    do throws(CommandFailure) {
      try checkCanKeep()
      uplink.stateWritten()
      return true
    } catch {
      uplink.callNotMade(channel, words: error.text.bytes)
      return false
    }
  }

  func keepCommandIDs(of uplink: Uplink) {
    do throws(CommandFailure) {
      try keep(uplink.commandIDs)
      uplink.commandIDsKept(failure: nil)
    } catch { uplink.commandIDsKept(failure: error.text.bytes) }
  }

  func readRejectedTokens(for uplink: Uplink) {
    do throws(CommandFailure) { uplink.rejectedTokensRead(try keptRejectedTokens()) } catch {
      uplink.rejectedTokensRead(nil, words: error.text.bytes)
    }
  }
}
