import LinuxIO
import HomeAssistant

/// Writes what must outlive a restart, as soon as that is possible, and says once why it is not.
final class Keeper {
  private let state: StateDirectory
  private let reporter: Reporter
  /// A registration that could not be kept yet.
  private var unsaved: Registration?
  /// Why the state directory failed last, which has been said.
  private var error: Errno?
  /// Whether it was said that no token may be sent.
  private var isRejectionToldUnknown = false

  init(_ state: StateDirectory, _ reporter: Reporter) {
    self.state = state
    self.reporter = reporter
  }

  /// Whether a registration could be kept now.
  func isReady() -> Bool {
    do throws(Errno) {
      try state.checkIsWritable()
      return true
    } catch {
      report(error)
      return false
    }
  }

  func keep(_ registration: Registration) {
    unsaved = registration
    tryAgain()
  }

  func tryAgain() {
    guard let registration = unsaved else { return }
    do throws(Errno) {
      try state.write(registration)
      unsaved = nil
    } catch {
      report(error)
    }
  }

  /// Home Assistant has no key to give for it, and is not asked again.
  func keepKeyless(_ registration: Registration) {
    do throws(Errno) { try state.writeKeyless(registration) } catch { report(error) }
  }

  /// The tokens that are never to be sent again; nil where they cannot be read, which is said: then
  /// no token may be sent.
  func rejectedTokens() -> RejectedTokens? {
    do throws(CommandFailure) {
      let rejected = try state.keptRejectedTokens()
      isRejectionToldUnknown = false
      return rejected
    } catch {
      if !isRejectionToldUnknown { reporter.stateFailed(error.text) }
      isRejectionToldUnknown = true
      return nil
    }
  }

  /// A credential that is never to be sent again.
  func keep(rejectedFingerprint fingerprint: [UInt8]) {
    do throws(Errno) { try state.write(rejectedFingerprint: fingerprint) } catch { report(error) }
  }

  private func report(_ error: Errno) {
    guard error != self.error else { return }
    self.error = error
    reporter.stateFailed(
      "the registration cannot be kept in \(state.path): \(error); make room there, or name"
        + " another state_directory")
  }
}
