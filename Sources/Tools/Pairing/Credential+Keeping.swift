import Board
import HomeAssistant
import LinuxIO

extension Credential {
  /// The address that a login was made at; nil for a long-lived token, which does not say.
  var clientURL: [UInt8]? {
    guard case .refreshToken(_, let clientID) = self else { return nil }
    return try? serverURL(clientID)
  }
}

extension StateDirectory {
  /// Keeps in mind that Home Assistant rejected a credential, so that it is never sent again.
  func note(rejected credential: Credential, _ dialog: Dialog) {
    do throws(CommandFailure) { try keep(rejectedFingerprint: credential.fingerprint) } catch {
      dialog.say(error.text)
    }
  }
}
