import Board
import Bytes
import HomeAssistant

extension RegistrationAnswer {
  /// Returns the registration, or throws the reason why there is none.
  func registration(acceptsPlain: Bool) throws(CommandFailure) -> Registration {
    switch self {
    case .registered(let registration): return registration
    case .withoutEncryption(let registration) where acceptsPlain: return registration
    case .withoutEncryption:
      throw CommandFailure(
        code: .temporaryFailure,
        text: "Home Assistant offers no encryption; for that it needs PyNaCl, which it has by"
          + " default")
    case .tokenRejected:
      throw CommandFailure(
        code: .noPermission,
        text: "Home Assistant does not accept the token; \(Login.whenShownAgain)")
    case .requestRejected:
      throw CommandFailure(
        code: .temporaryFailure,
        text: "Home Assistant rejects the registration as malformed (400); please report it")
    case .server(.notFound):
      throw CommandFailure(
        code: .temporaryFailure,
        text: "\(ServerRefusal.notFound.words(.registration)); its mobile_app integration has to be"
          + " loaded, as it is by default")
    case .server(let refusal):
      throw CommandFailure(
        code: refusal.exitCode, text: refusal.words(.registration, addressIn: "the address"))
    }
  }
}
