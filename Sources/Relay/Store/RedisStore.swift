import Bytes
import CSodium

/// Notifications on a server of Redis or Valkey, which any number of relays share.
///
/// Each script is one step for the server, so that limits are exact across the relays. The commands
/// of many requests go in one piece, and share one wait for the server's disk.
///
/// | key | kind | content |
/// |---|---|---|
/// | `homeward:version` | string | version of these keys |
/// | `homeward:names` | hash | a board's identifier by its name |
/// | `homeward:tokens` | hash | its identifier by `p` and the push digest, `f` and the other |
/// | `homeward:{ID}:board` | hash | its digests, key, day and times, and where its `run` began |
/// | `homeward:{ID}:waiting` | sorted set | `NUMBER:ARRIVED:SEALED` by its number |
/// | `homeward:step` | hash | the last time that the clock was set: `seconds`, `at` |
///
/// Times are seconds since 1970. A refusal writes nothing: each relay counts its own.
/// A run of the server ends with its process.
///
/// If the connection is lost, it is unknown what the server has kept of a batch. It was answered
/// with 503 then, so a notification may be there twice, and nothing is lost.
final class RedisStore: Store {
  /// Boards that are remembered, so that a notification takes one round trip.
  private static let knownCountMax = 4096
  /// Round trips of a batch. More than three mean that a board changes its key all the time.
  private static let roundCountMax = 8

  private let address: RedisAddress
  let limits: Limits
  let clocks: Clocks
  let sealer = Sealer()
  private var session: RedisSession
  private var backOff: BackOff
  /// Moment of the next attempt to connect, and why the last one failed.
  private var pause: (until: Instant, failure: StoreFailure)?
  private var known: [Digest: KnownBoard] = [:]
  /// Whether this machine's clock was near that of the server when it was last compared.
  var clocksAgree = true
  /// Place from which `dropOld` goes on.
  var dropCursor = utf8("0")

  /// A board as this relay knows it. The scripts find out if it has changed since.
  private struct KnownBoard {
    let identifier: [UInt8]
    /// Empty if a notification will probably be refused: then it need not be sealed.
    var key: [UInt8] = []
    /// Notifications that this relay has refused on a day.
    var refused: (day: Int64, count: Int64) = (0, 0)
  }

  init(
    _ address: RedisAddress, limits: Limits, clocks: Clocks
  ) throws(StoreFailure) {
    self.address = address
    self.limits = limits
    self.clocks = clocks
    backOff = BackOff(
      first: .milliseconds(50), longest: .seconds(2), seed: UInt64(randombytes_random()))
    session = try RedisSession(address, clocks, differenceMax: limits.clockDifferenceMax)
  }

  /// The session, or a new one if the server has closed it.
  func openSession() throws(StoreFailure) -> RedisSession {
    if session.isOpen { return session }
    if let pause, clocks.monotonic() < pause.until { throw pause.failure }
    do {
      session = try RedisSession(address, clocks, differenceMax: limits.clockDifferenceMax)
    } catch {
      pause = (clocks.monotonic() + backOff.failed(), error)
      throw error
    }
    pause = nil
    backOff.succeeded()
    return session
  }

  // MARK: Requests

  func perform(_ operations: [StoreOperation], at now: WallTime) throws(StoreFailure) -> [Outcome] {
    sealer.renewNonce()
    let session = try openSession()
    var outcomes = [Outcome?](repeating: nil, count: operations.count)
    for round in 0..<Self.roundCountMax {
      let open = operations.indices.filter { outcomes[$0] == nil }
      if open.isEmpty { break }
      try lookUp(open.map { operations[$0] }, session)
      let calls = try calls(for: operations, open, at: now)
      for call in calls { session.add(call.script, keys: call.keys, call.words) }
      let replies = try session.replies()
      for index in open where known[operations[index].digest] == nil { outcomes[index] = .unknown }
      for (call, reply) in zip(calls, replies) {
        outcomes[call.index] = try read(
          reply, to: operations[call.index], session, isFirst: round == 0)
      }
      if replies.contains(where: { $0.isNoScript }) { try session.loadScripts() }
    }
    var all: [Outcome] = []
    for (operation, outcome) in zip(operations, outcomes) {
      if let outcome { all.append(outcome) } else { try all.append(leftOver(operation, at: now)) }
    }
    return all
  }

  /// Script with its words, for one operation.
  private struct Call {
    let index: Int
    let script: RedisScript
    let keys: [[UInt8]]
    let words: [[UInt8]]
  }

  private func calls(
    for operations: [StoreOperation], _ open: [Int], at now: WallTime
  ) throws(StoreFailure) -> [Call] {
    var calls: [Call] = []
    for index in open {
      guard let board = known[operations[index].digest] else { continue }
      let keys = [Self.boardKey(board.identifier), Self.waitingKey(board.identifier)]
      switch operations[index] {
      case .push(let request):
        let words = try words(of: request, for: board, at: now) + [session.runIdentifier]
        calls.append(Call(index: index, script: .push, keys: keys, words: words))
      case .fetch(let digest, let request):
        let words = words(of: request, digest, at: now)
        calls.append(Call(index: index, script: .fetch, keys: keys, words: words))
      }
    }
    return calls
  }

  /// Others in the same batch must not wait for a board that changes its key all the time.
  private func leftOver(
    _ operation: StoreOperation, at now: WallTime
  ) throws(StoreFailure) -> Outcome {
    guard case .push(let request) = operation else { throw session.strange() }
    return .hasNoKey(refuse(request.push, Day(of: now).number, 0))
  }

  /// Finds boards that are not known yet, in one round trip.
  private func lookUp(
    _ operations: [StoreOperation], _ session: RedisSession
  ) throws(StoreFailure) {
    if known.count + operations.count > Self.knownCountMax { known = [:] }
    var missing: [Digest] = []
    for operation in operations where known[operation.digest] == nil {
      missing.append(operation.digest)
      session.add("HGET", utf8("homeward:tokens"), operation.token)
    }
    guard !missing.isEmpty else { return }
    for (digest, reply) in try zip(missing, session.answers()) {
      switch reply {
      case .bytes(let identifier): known[digest] = KnownBoard(identifier: identifier)
      case .null: break
      default: throw session.strange()
      }
    }
  }

  private func words(
    of request: PushRequest, for board: KnownBoard, at now: WallTime
  ) throws(StoreFailure) -> [[UInt8]] {
    let sealed =
      try board.key.isEmpty ? [] : sealer.seal(request.content, toStored: board.key, at: now)
    return compared(now) + [
      request.push.bytes, board.key, sealed, digits(now.seconds), digits(Day(of: now).number),
      digits(limits.notificationsADay), digits(limits.waitingCountMax),
    ]
  }

  private func words(of request: FetchRequest, _ digest: Digest, at now: WallTime) -> [[UInt8]] {
    compared(now) + [
      digest.bytes, request.key.bytes, digits(request.acknowledged), digits(now.seconds),
      digits(Int64(limits.answerCountMax)), digits(Int64(limits.answerByteCountMax)),
    ]
  }

  /// Words with which a script compares its own clock.
  func compared(_ now: WallTime) -> [[UInt8]] {
    [digits(now.milliseconds), digits(limits.clockDifferenceMax.milliseconds)]
  }

  /// Reads what became of an operation; returns nil if it has to be asked once more.
  private func read(
    _ reply: RedisReply, to operation: StoreOperation, _ session: RedisSession, isFirst: Bool
  ) throws(StoreFailure) -> Outcome? {
    if reply.isNoScript { return nil }
    if case .error(let words) = reply { throw session.refusal(words) }
    guard case .list(let parts) = reply, case .bytes(let word) = parts.first else {
      throw session.strange()
    }
    clocksAgree = word != utf8("clocks")
    guard clocksAgree else { throw session.clocksDiffer() }
    if word == utf8("unknown") {
      // The board may have been removed and added since it was looked up.
      known[operation.digest] = nil
      return isFirst ? nil : .unknown
    }
    guard let answer = ScriptAnswer(word, parts.dropFirst()) else { throw session.strange() }
    return take(answer, operation.digest)
  }

  private func take(_ answer: ScriptAnswer, _ digest: Digest) -> Outcome? {
    switch answer {
    case .key(let key):
      known[digest]?.key = key
      return nil
    case .accepted(let day, let successful): return .accepted(counts(digest, day, successful))
    case .over(let day, let successful): return .overLimit(refuse(digest, day, successful))
    case .keyless(let day, let successful): return .hasNoKey(refuse(digest, day, successful))
    case .full(let day, let successful): return .isFull(refuse(digest, day, successful))
    case .waiting(let notifications, let remaining):
      return .waiting(notifications, remaining: remaining)
    }
  }

  private func refuse(_ digest: Digest, _ day: Int64, _ successful: Int64) -> RateLimits {
    let refused = known[digest]?.refused ?? (day: day, count: 0)
    known[digest]?.refused = (day, refused.day == day ? refused.count &+ 1 : 1)
    known[digest]?.key = []
    return counts(digest, day, successful)
  }

  private func counts(_ digest: Digest, _ day: Int64, _ successful: Int64) -> RateLimits {
    let refused = known[digest]?.refused ?? (day: day, count: 0)
    return RateLimits(
      successful: successful, errors: refused.day == day ? refused.count : 0,
      maximum: limits.notificationsADay, resetsAt: Day(number: day).end)
  }
}

extension StoreOperation {
  fileprivate var digest: Digest {
    switch self {
    case .push(let request): request.push
    case .fetch(let digest, _): digest
    }
  }

  /// Field of `homeward:tokens`: what may send does not fetch.
  fileprivate var token: [UInt8] {
    switch self {
    case .push(let request): utf8("p") + request.push.bytes
    case .fetch(let digest, _): utf8("f") + digest.bytes
    }
  }
}
