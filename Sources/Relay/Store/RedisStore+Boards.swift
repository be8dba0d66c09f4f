import Bytes
import CSodium

// What a person types, and what time does.
extension RedisStore {
  /// Boards of one round trip.
  private static let pageCount: Int64 = 200

  static func boardKey(_ identifier: [UInt8]) -> [UInt8] {
    utf8("homeward:{") + identifier + utf8("}:board")
  }

  static func waitingKey(_ identifier: [UInt8]) -> [UInt8] {
    utf8("homeward:{") + identifier + utf8("}:waiting")
  }

  // MARK: Boards

  func add(_ name: String, _ token: BoardToken, at now: WallTime) throws(StoreFailure) -> Bool {
    var identifier = [UInt8](repeating: 0, count: 16)
    for index in identifier.indices {
      identifier[index] = UInt8(ascii: "a") + UInt8(truncatingIfNeeded: randombytes_uniform(26))
    }
    let words = [token.pushDigest.bytes, token.fetchDigest.bytes]
    return try change(
      .add, name, identifier, words + [digits(now.seconds), digits(Day(of: now).number)])
  }

  func rotate(_ name: String, _ token: BoardToken) throws(StoreFailure) -> Bool {
    guard let identifier = try identifier(of: name) else { return false }
    return try change(
      .rotate, name, identifier, [token.pushDigest.bytes, token.fetchDigest.bytes])
  }

  func revoke(_ name: String) throws(StoreFailure) -> Bool {
    guard let identifier = try identifier(of: name) else { return false }
    return try change(.revoke, name, identifier, [])
  }

  private func change(
    _ script: RedisScript, _ name: String, _ identifier: [UInt8], _ words: [[UInt8]]
  ) throws(StoreFailure) -> Bool {
    let session = try openSession()
    let keys = [
      utf8("homeward:names"), utf8("homeward:tokens"), Self.boardKey(identifier),
      Self.waitingKey(identifier),
    ]
    return try session.count(script, keys: keys, [Array(name.utf8), identifier] + words) > 0
  }

  private func identifier(of name: String) throws(StoreFailure) -> [UInt8]? {
    let session = try openSession()
    session.add("HGET", utf8("homeward:names"), Array(name.utf8))
    switch try session.answers().first {
    case .bytes(let identifier): return identifier
    case .null: return nil
    default: throw session.strange()
    }
  }

  /// Some of the boards, and from where to go on; `0` at the end.
  private func page(
    from cursor: [UInt8], _ session: RedisSession
  ) throws(StoreFailure) -> (boards: [(name: [UInt8], identifier: [UInt8])], next: [UInt8]) {
    session.add(
      "HSCAN", utf8("homeward:names"), cursor, utf8("COUNT"), digits(Self.pageCount))
    guard case .list(let parts) = try session.answers().first, parts.count == 2,
      case .bytes(let next) = parts[0], case .list(let fields) = parts[1]
    else { throw session.strange() }
    var boards: [(name: [UInt8], identifier: [UInt8])] = []
    for index in stride(from: 0, to: fields.count - 1, by: 2) {
      guard case .bytes(let name) = fields[index], case .bytes(let identifier) = fields[index + 1]
      else { throw session.strange() }
      boards.append((name, identifier))
    }
    return (boards, next)
  }

  func boards(at now: WallTime) throws(StoreFailure) -> [BoardSummary] {
    let session = try openSession()
    // A scan may give a board twice.
    var summaries: [[UInt8]: BoardSummary] = [:]
    var cursor = utf8("0")
    repeat {
      let (boards, next) = try page(from: cursor, session)
      for (board, summary) in try zip(boards, self.summaries(of: boards, session, at: now)) {
        summaries[board.name] = summary
      }
      cursor = next
    } while cursor != utf8("0")
    return summaries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { $0.value }
  }

  /// A summary for each of some boards; nil for one that was removed meanwhile.
  private func summaries(
    of boards: [(name: [UInt8], identifier: [UInt8])], _ session: RedisSession, at now: WallTime
  ) throws(StoreFailure) -> [BoardSummary?] {
    for (_, identifier) in boards {
      session.add(
        "HMGET", Self.boardKey(identifier), utf8("created"), utf8("fetched"), utf8("key"),
        utf8("day"), utf8("successful"))
      session.add("ZCARD", Self.waitingKey(identifier))
    }
    let replies = try session.answers()
    let oldest = try oldest(boards.map { Self.waitingKey($0.identifier) }, session)
    guard replies.count == 2 * boards.count else { throw session.strange() }
    var summaries: [BoardSummary?] = []
    for (index, board) in boards.enumerated() {
      let (reply, waiting) = (replies[2 * index], replies[2 * index + 1])
      var summary = try summary(board.name, reply, waiting: waiting, session, at: now)
      summary?.oldest = oldest[index]
      summaries.append(summary)
    }
    return summaries
  }

  /// Arrivals of what waits at the first place of some keys.
  private func oldest(
    _ keys: [[UInt8]], _ session: RedisSession
  ) throws(StoreFailure) -> [WallTime?] {
    guard !keys.isEmpty else { return [] }
    guard case .list(let arrivals) = try session.run(.oldest, keys: keys, []),
      arrivals.count == keys.count
    else { throw session.strange() }
    return arrivals.map { $0.number.map { WallTime(seconds: $0) } }
  }

  private func summary(
    _ name: [UInt8], _ reply: RedisReply, waiting: RedisReply, _ session: RedisSession,
    at now: WallTime
  ) throws(StoreFailure) -> BoardSummary? {
    guard case .list(let fields) = reply, fields.count == 5, case .integer(let waiting) = waiting
    else { throw session.strange() }
    guard let created = fields[0].number else { return nil }
    guard let day = fields[3].number, let successful = fields[4].number else {
      throw session.strange()
    }
    var account = Account(
      day: Day(number: day), successful: successful, waiting: waiting, hasKey: !fields[2].isNull)
    account.beginDay(at: now)
    return BoardSummary(
      name: String(decoding: name, as: UTF8.self), created: WallTime(seconds: created),
      fetched: fields[1].number.map { WallTime(seconds: $0) },
      hasKey: account.hasKey, waiting: account.waiting, today: account.successful)
  }

  // MARK: Time

  /// Moves the times of what came in this run of the server, if its clock was set as well. One of
  /// the relays does that for all: each takes notifications only while its clock is near that of
  /// the server, so the server's run says since when a clock may have been wrong.
  func clockStepped(by seconds: Int64) throws(StoreFailure) {
    // If this clock was wrong and that of the server was not, only the first was set.
    guard clocksAgree else { return }
    let session = try openSession()
    let isOurs = try session.count(
      .noteStep, keys: [utf8("homeward:step")], compared(clocks.wall()) + [digits(seconds)])
    guard isOurs > 0 else { return }
    var cursor = utf8("0")
    repeat {
      let (boards, next) = try page(from: cursor, session)
      for (_, identifier) in boards {
        _ = try session.count(
          .shift, keys: [Self.boardKey(identifier), Self.waitingKey(identifier)],
          [digits(seconds), session.runIdentifier])
      }
      cursor = next
    } while cursor != utf8("0")
  }

  /// Drops what has waited too long with some of the boards; the next call goes on with others.
  func dropOld(at now: WallTime) throws(StoreFailure) -> Int64 {
    sealer.dropOld(at: now)
    let session = try openSession()
    let (boards, next) = try page(from: dropCursor, session)
    var dropped: Int64 = 0
    if !boards.isEmpty {
      let oldest = now.seconds - limits.waitingFor.components.seconds
      dropped = try session.count(
        .drop, keys: boards.map { Self.waitingKey($0.identifier) },
        [digits(oldest), digits(limits.droppedCountMax)])
    }
    if dropped < limits.droppedCountMax { dropCursor = next }
    return dropped
  }

  func probe() throws(StoreFailure) {
    let (session, key) = (try openSession(), utf8("homeward:probe"))
    try session.check(clocks.wall, limits.clockDifferenceMax)
    session.add("SET", key, [UInt8](repeating: 0, count: limits.bodyByteCountMax))
    session.add("DEL", key)
    _ = try session.answers()
  }
}

extension RedisReply {
  /// Number that a server keeps as text; nil if there is none.
  fileprivate var number: Int64? {
    guard case .bytes(let text) = self else { return nil }
    return decimal(text)
  }

  fileprivate var isNull: Bool {
    guard case .null = self else { return false }
    return true
  }
}

extension RedisSession {
  /// Runs a script that returns a count.
  fileprivate func count(
    _ script: RedisScript, keys: [[UInt8]], _ words: [[UInt8]]
  ) throws(StoreFailure) -> Int64 {
    guard case .integer(let count) = try run(script, keys: keys, words) else { throw strange() }
    return count
  }
}

extension WallTime {
  /// Milliseconds since 1970, as the number of a notification has them.
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}

extension Duration {
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
