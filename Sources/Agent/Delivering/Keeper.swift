import Board
import Bytes
import HomeAssistant
import LinuxIO

/// Writes what must outlive a restart, as soon as that is possible, and says once why it is not.
final class Keeper {
  private let state: StateDirectory
  private let reporter: Reporter
  /// A registration that could not be kept yet.
  private var unsaved: Registration?
  /// The fingerprints of rejected credentials that could not be kept yet.
  private var unsavedRejections: [[UInt8]] = []
  /// What was said last of the state directory.
  private var told: [UInt8] = []

  init(_ state: StateDirectory, _ reporter: Reporter) {
    self.state = state
    self.reporter = reporter
  }

  /// Whether a registration, or that a credential was rejected, could be kept now.
  func isReady() -> Bool {
    guard tryAgain() else { return false }
    do throws(CommandFailure) {
      try state.checkCanKeep()
      told = []
      return true
    } catch {
      tell(error)
      return false
    }
  }

  func keep(_ registration: Registration) {
    unsaved = registration
    told = []
    tryAgain()
  }

  /// A credential that is never to be sent again.
  func keep(rejectedFingerprint fingerprint: [UInt8]) {
    unsavedRejections.append(fingerprint)
    told = []
    tryAgain()
  }

  /// Returns whether nothing is left that could not be kept.
  @discardableResult
  func tryAgain() -> Bool {
    do throws(CommandFailure) {
      while let fingerprint = unsavedRejections.last {
        try state.keep(rejectedFingerprint: fingerprint)
        unsavedRejections.removeLast()
      }
      if let registration = unsaved { try state.keep(registration) }
      unsaved = nil
      return true
    } catch {
      tell(error)
      return false
    }
  }

  /// Home Assistant has no key to give for it, and is not asked again.
  func keepKeyless(_ registration: Registration) {
    do throws(Errno) { try state.writeKeyless(registration) } catch {
      tell(state.notKept("that Home Assistant has no keys", error))
    }
  }

  /// The tokens that are never to be sent again; nil where they cannot be read or another one could
  /// not be kept, which is said: then no token may be sent.
  func rejectedTokens() -> RejectedTokens? {
    do throws(CommandFailure) {
      var rejected = try state.keptRejectedTokens()
      for fingerprint in unsavedRejections { rejected.insert(fingerprint: fingerprint) }
      told = []
      return rejected
    } catch {
      tell(error)
      return nil
    }
  }

  private func tell(_ failure: CommandFailure) {
    guard failure.text.bytes != told else { return }
    told = failure.text.bytes
    reporter.stateFailed(failure.text)
  }
}
