import ModelDisk
import Bytes
import HomeAssistant
import Outbox

/// Carries what an `Enrollment` wants, as the agent's `Registrar` does it with a token in a file.
struct SimulatedRegistrar {
  /// What came of an event.
  enum Outcome {
    case nothing
    case send(Letter)
    case registered(Registration)
  }

  private let state: StateFiles
  private let keeper: SimulatedKeeper
  private let identity: RegistrationRequest
  private var enrollment: Enrollment
  /// Why there was no registration to be had, until somebody asks.
  private var problem: Problem?

  enum Problem: Equatable {
    case stateNotUsable
    case enrollment(Enrollment.Problem)

    var isLasting: Bool {
      switch self {
      case .stateNotUsable: true
      case .enrollment(let problem): problem.isLasting
      }
    }
  }

  init(
    state: StateFiles, keeper: SimulatedKeeper, identity: RegistrationRequest, seed: UInt64,
    now: Instant
  ) {
    self.state = state
    self.keeper = keeper
    self.identity = identity
    enrollment = Enrollment(seed: seed, now: now)
  }

  var deadline: Instant? { enrollment.deadline }

  mutating func takeProblem() -> Problem? {
    defer { problem = nil }
    return problem
  }

  mutating func deadlineReached(now: Instant) throws -> Outcome {
    enrollment.deadlineReached(now: now)
    return try goOn(now: now)
  }

  mutating func cycleDue(now: Instant) throws -> Outcome {
    enrollment.cycleDue(now: now)
    return try goOn(now: now)
  }

  private mutating func goOn(now: Instant) throws -> Outcome {
    var outcome = Outcome.nothing
    while let action = enrollment.nextAction() { outcome = try perform(action, now: now) }
    return outcome
  }

  private mutating func perform(_ action: Enrollment.Action, now: Instant) throws -> Outcome {
    switch action {
    case .tell(let problem):
      try tell(problem)
      return .nothing
    case .readToken:
      guard try knowsRejectedTokens() else { return postpone(now: now) }
      enrollment.tokenRead(try state.readToken(), now: now)
      return .nothing
    case .register(let token):
      guard try keeper.isReady() else { return postpone(now: now) }
      var body = ByteBuffer(capacity: 4096)
      identity.write(into: &body)
      return .send(
        Letter(
          path: String(decoding: [UInt8](RegistrationRequest.path), as: UTF8.self), token: token,
          body: [UInt8](body.bytes)))
    }
  }

  private mutating func knowsRejectedTokens() throws -> Bool {
    if enrollment.knowsRejectedTokens { return true }
    guard let rejected = try keeper.rejectedTokens() else { return false }
    enrollment.rejectedTokensRead(rejected)
    return true
  }

  private mutating func postpone(now: Instant) -> Outcome {
    enrollment.stateNotUsable(now: now)
    problem = .stateNotUsable
    return .nothing
  }

  mutating func ended(_ end: CallEnd, now: Instant) throws -> Outcome {
    var registration: Registration?
    switch end {
    case .answered(let reply):
      var body = ByteBuffer(capacity: 64 * 1024)
      body.append(reply.body)
      let answer = RegistrationAnswer.read(status: reply.status, body: body)
      registration = enrollment.answerReceived(answer, now: now)
    case .failed:
      enrollment.connectionFailed(InlineText("no answer"), now: now)
    }
    _ = try goOn(now: now)
    return registration.map { .registered($0) } ?? .nothing
  }

  private mutating func tell(_ problem: Enrollment.Problem) throws {
    self.problem = .enrollment(problem)
    if case .tokenRejected(let fingerprint) = problem {
      try keeper.keep(rejectedFingerprint: fingerprint)
    }
  }
}

/// Writes what must outlive a restart, as the agent's `Keeper` does it.
final class SimulatedKeeper {
  private let state: StateFiles
  private var unsaved: Registration?

  init(_ state: StateFiles) { self.state = state }

  /// Does it, where the disk lets it be done.
  private func attempt(_ action: () throws -> Void) throws -> Bool {
    do {
      try action()
      return true
    } catch is ModelDisk.Failure {
      return false
    }
  }

  func isReady() throws -> Bool { try attempt { try state.checkIsWritable() } }

  func keep(_ registration: Registration) throws {
    unsaved = registration
    try tryAgain()
  }

  func tryAgain() throws {
    guard let registration = unsaved else { return }
    if try attempt({ try state.write(registration) }) { unsaved = nil }
  }

  func rejectedTokens() throws -> RejectedTokens? {
    var rejected: RejectedTokens?
    _ = try attempt { rejected = try state.rejectedTokens() }
    return rejected
  }

  func keep(rejectedFingerprint fingerprint: [UInt8]) throws {
    _ = try attempt { try state.write(rejectedFingerprint: fingerprint) }
  }
}
