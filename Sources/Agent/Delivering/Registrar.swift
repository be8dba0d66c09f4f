import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Transport

/// Who is told of a registration.
protocol RegistrarOwner: AnyObject {
  /// Whether a token may be sent to `home_assistant.url` now.
  var maySendToken: Bool { get }
  func registered(_ registration: Registration, now: Instant)
  func registrationFailed(_ problem: Enrollment.Problem, now: Instant)
  /// It could not be kept, or no token may be sent.
  func registrationPostponed(now: Instant)
}

/// Carries what an `Enrollment` wants: the token from its file, or by what pairing kept, and the
/// request to Home Assistant.
final class Registrar {
  private enum Errand: Equatable {
    case none
    case renewal
    case registration
  }

  private let settings: Configuration.HomeAssistantSettings
  private let identity: RegistrationRequest
  private let http: HTTPClient
  private let keeper: Keeper
  private unowned(unsafe) let owner: any RegistrarOwner
  private let credential: Credential?
  private var enrollment: Enrollment
  /// Nil until it is known which tokens were rejected, and where `credential` is not used.
  private var tokens: AccessTokens?
  private var errand = Errand.none

  /// What pairing kept, `credential`, is used where the configuration names no file. Nobody else
  /// uses `http` until there is a registration.
  init(
    settings: Configuration.HomeAssistantSettings, identity: RegistrationRequest,
    credential: Credential?, http: HTTPClient, keeper: Keeper, owner: any RegistrarOwner,
    now: Instant
  ) {
    self.settings = settings
    self.identity = identity
    self.http = http
    self.keeper = keeper
    unsafe self.owner = owner
    self.credential = settings.tokenFile == nil ? credential : nil
    enrollment = Enrollment(acceptsPlain: settings.isPlainAllowed, seed: randomSeed(), now: now)
  }

  var deadline: Instant? { enrollment.deadline }

  func deadlineReached(now: Instant) {
    enrollment.deadlineReached(now: now)
    goOn(now: now)
  }

  func cycleDue(now: Instant) {
    keeper.tryAgain()
    enrollment.cycleDue(now: now)
    goOn(now: now)
  }

  /// The board came home or left: a request that carries a token ends where it may not go on.
  func presenceChanged(now: Instant) {
    guard unsafe !owner.maySendToken else { return cycleDue(now: now) }
    guard errand != .none else { return }
    http.cancel()
    if errand == .renewal { _ = tokens?.connectionFailed(InlineText("the board left"), now: now) }
    errand = .none
    enrollment.tokenWithheld(now: now)
    goOn(now: now)
  }

  private func goOn(now: Instant) {
    while let action = enrollment.nextAction() { perform(action, now: now) }
  }

  /// Each request begins here, and each carries a token.
  private func perform(_ action: Enrollment.Action, now: Instant) {
    switch action {
    case .tell(let problem): tell(problem, now: now)
    case _ where unsafe !owner.maySendToken: enrollment.tokenWithheld(now: now)
    case .readToken: findToken(now: now)
    case .register(let token): register(with: token, now: now)
    }
  }

  // MARK: The token

  private func findToken(now: Instant) {
    guard knowsRejectedTokens() else { return postpone(now: now) }
    if let path = settings.tokenFile { return found(readToken(path), now: now) }
    // A refresh token that is rejected must be kept in mind.
    if tokens?.isRejected == false, !keeper.isReady() { return postpone(now: now) }
    guard let step = tokens?.tokenWanted(now: now) else {
      return found(.failure(.noFileNamed), now: now)
    }
    take(step, now: now)
  }

  /// Reads which were rejected, until that has succeeded once: no token is sent before.
  private func knowsRejectedTokens() -> Bool {
    if enrollment.knowsRejectedTokens { return true }
    guard let rejected = keeper.rejectedTokens() else { return false }
    enrollment.rejectedTokensRead(rejected)
    tokens = credential.map {
      AccessTokens(credential: $0, rejected: rejected, seed: randomSeed())
    }
    return true
  }

  private func take(_ step: AccessTokens.Step, now: Instant) {
    switch step {
    case .use(let token): found(.success(token), now: now)
    case .send(let call): renew(call)
    case .wait: preconditionFailure("a token is fetched once at a time")
    case .unavailable(let problem, _): found(.failure(.notRenewed(problem)), now: now)
    case .rejected:
      keepRejection()
      found(.failure(.credentialRejected), now: now)
    }
  }

  private func found(_ token: Result<[UInt8], Enrollment.TokenFlaw>, now: Instant) {
    enrollment.tokenRead(token, now: now)
    goOn(now: now)
  }

  private func renew(_ call: AuthCall) {
    errand = .renewal
    http.send(call, to: settings.url, telling: self)
  }

  private func keepRejection() {
    guard let credential = tokens?.credential else { return }
    keeper.keep(rejectedFingerprint: credential.fingerprint)
  }

  // MARK: The registration

  private func register(with token: [UInt8], now: Instant) {
    // A registration that cannot be kept would be made anew at every start, and Home Assistant
    // would throw the entities of the one before away.
    guard keeper.isReady() else { return postpone(now: now) }
    errand = .registration
    identity.write(into: &http.request)
    http.send(
      to: Endpoint(
        address: settings.url, path: [UInt8](RegistrationRequest.path), bearerToken: token),
      telling: self)
  }

  /// The state directory cannot be used, which was said.
  private func postpone(now: Instant) {
    enrollment.stateNotUsable(now: now)
    unsafe owner.registrationPostponed(now: now)
  }

  private func registrationAnswered(status: Int, now: Instant) {
    let answer = RegistrationAnswer.read(status: status, body: http.response)
    http.response.wipe()
    let registration = enrollment.answerReceived(answer, now: now)
    goOn(now: now)
    if let registration { unsafe owner.registered(registration, now: now) }
  }

  private func tell(_ problem: Enrollment.Problem, now: Instant) {
    if case .tokenRejected(let fingerprint) = problem {
      keeper.keep(rejectedFingerprint: fingerprint)
      // Whatever it gives would be rejected as well.
      keepRejection()
    }
    unsafe owner.registrationFailed(problem, now: now)
  }
}

extension Registrar: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    let now = Moment.now.instant
    let errand = errand
    self.errand = .none
    http.request.wipe()
    switch (errand, result) {
    case (.registration, .answered(let status)): registrationAnswered(status: status, now: now)
    case (.registration, .failed(let reason)):
      enrollment.connectionFailed(reason, now: now)
      goOn(now: now)
    case (.renewal, .answered(let status)):
      let step = renewalAnswered(http.response, status: status, now: now)
      http.response.wipe()
      if let step { take(step, now: now) }
    case (.renewal, .failed(let reason)):
      if let step = tokens?.connectionFailed(reason, now: now) { take(step, now: now) }
    case (.none, _): preconditionFailure("nothing was under way")
    }
  }

  private func renewalAnswered(
    _ body: borrowing ByteBuffer, status: Int, now: Instant
  ) -> AccessTokens.Step? {
    tokens?.answerReceived(status: status, body: body.bytes, now: now)
  }
}
