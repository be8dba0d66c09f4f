import Board
import Bytes
import HomeAssistant
import Outbox

// What an uplink wants of the state directory beside the spool.

extension StateDirectory {
  /// Does it, and tells `uplink` how it ended.
  func perform(_ write: Uplink.StateWrite, for uplink: Uplink) {
    do throws(CommandFailure) {
      switch write {
      case .registration(let registration): try keep(registration)
      case .rejection(let fingerprint):
        try keep(rejectedFingerprint: fingerprint, isForGood: uplink.isServerKnown)
      case .acceptance(let fingerprint): try keep(acceptedFingerprint: fingerprint)
      case .keyless(let registration): try keepKeyless(registration)
      case .probe: try checkCanKeep()
      }
      uplink.stateWritten()
    } catch { uplink.stateFailed(words: error.text.bytes) }
  }

  func readRejectedTokens(for uplink: Uplink) {
    do throws(CommandFailure) { uplink.rejectedTokensRead(try keptRejectedTokens()) } catch {
      uplink.rejectedTokensRead(nil, words: error.text.bytes)
    }
  }
}
