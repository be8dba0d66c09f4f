import Bytes

/// Notifications in one file of SQLite.
///
/// A commit is on the disk before it is answered (`synchronous=FULL`), and many requests share one:
/// that is where a disk spends its time. A request that is refused writes nothing.
///
/// | table | row | key |
/// |---|---|---|
/// | `board` | a board: digests of its two secrets, its key, its day, how much waits | `id` |
/// | `waiting` | a sealed notification | the board and its number |
///
/// Times are seconds since 1970. `user_version` is the version of these tables.
final class SQLiteStore: Store {
  static let version: Int64 = 1

  let database: Database
  private let limits: Limits
  private let sealer = Sealer()
  private let byPush: Statement
  private let byFetch: Statement
  private let saveCounts: Statement
  private let saveFetch: Statement
  private let insert: Statement
  private let forget: Statement
  private let next: Statement
  /// Refused notifications of boards since their last one that was accepted.
  private var refused: [Int64: (day: Day, errors: Int64)] = [:]
  /// Numbers of the first notifications of boards since this process began.
  private var began: [Int64: Int64] = [:]

  init(_ path: String, limits: Limits) throws(StoreFailure) {
    database = try Database(path)
    self.limits = limits
    database.setBusyTimeout(milliseconds: 5000)
    try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
    try Self.prepare(database)
    let columns = "SELECT id, public_key, day, successful, errors, waiting, newest FROM board"
    byPush = try Statement(database, columns + " WHERE push = ?")
    byFetch = try Statement(database, columns + " WHERE fetch = ?")
    saveCounts = try Statement(
      database,
      "UPDATE board SET day = ?, successful = ?, errors = ?, waiting = ?, newest = ? WHERE id = ?")
    saveFetch = try Statement(
      database, "UPDATE board SET fetched = ?, public_key = ?, waiting = ? WHERE id = ?")
    insert = try Statement(database, "INSERT INTO waiting VALUES (?, ?, ?, ?)")
    forget = try Statement(database, "DELETE FROM waiting WHERE board = ? AND number <= ?")
    next = try Statement(
      database,
      "SELECT number, arrived, sealed FROM waiting WHERE board = ? ORDER BY number LIMIT ?")
  }

  private static func prepare(_ database: Database) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      var found: Int64 = 0
      try Statement(database, "PRAGMA user_version").run {
        found = $0.integer(0)
        return true
      }
      guard found <= version else {
        throw StoreFailure(
          code: 0, message: "the store is of a newer version",
          remedy: "install that version of homeward-relay")
      }
      guard found == 0 else { return }
      try database.execute(
        """
        CREATE TABLE board (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
          push BLOB NOT NULL UNIQUE, fetch BLOB NOT NULL UNIQUE, public_key BLOB,
          created INTEGER NOT NULL, fetched INTEGER,
          day INTEGER NOT NULL, successful INTEGER NOT NULL DEFAULT 0,
          errors INTEGER NOT NULL DEFAULT 0,
          waiting INTEGER NOT NULL DEFAULT 0, newest INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE waiting (
          board INTEGER NOT NULL, number INTEGER NOT NULL,
          arrived INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (board, number)
        ) STRICT, WITHOUT ROWID;
        PRAGMA user_version = 1;
        """)
    }
  }

  // MARK: Requests

  func perform(_ operations: [StoreOperation], at now: WallTime) throws(StoreFailure) -> [Outcome] {
    sealer.renewNonce()
    return try database.transaction { () throws(StoreFailure) in
      var outcomes: [Outcome] = []
      for operation in operations {
        switch operation {
        case .push(let request): try outcomes.append(push(request, at: now))
        case .fetch(let digest, let request): try outcomes.append(fetch(digest, request, at: now))
        }
      }
      return outcomes
    }
  }

  /// Row of a board.
  private struct Found {
    let id: Int64
    let key: [UInt8]
    var account: Account
  }

  private func find(_ digest: Digest, _ statement: Statement) throws(StoreFailure) -> Found? {
    var found: Found?
    try statement.run([.bytes(digest.bytes)]) { row in
      let key = row.bytes(1)
      found = Found(
        id: row.integer(0), key: key,
        account: Account(
          day: Day(number: row.integer(2)), successful: row.integer(3), errors: row.integer(4),
          waiting: row.integer(5), newest: row.integer(6), hasKey: !key.isEmpty))
      return false
    }
    guard var board = found else { return nil }
    if let refused = refused[board.id], refused.day == board.account.day {
      board.account.errors = max(board.account.errors, refused.errors)
    }
    return board
  }

  private func push(_ request: PushRequest, at now: WallTime) throws(StoreFailure) -> Outcome {
    guard var board = try find(request.push, byPush) else { return .unknown }
    let verdict = board.account.notificationArrived(at: now, limits: limits)
    let counts = board.account.rateLimits(limits)
    switch verdict {
    case .accepted(let number):
      try keep(request.content, for: board, number, at: now)
      refused[board.id] = nil
      return .accepted(counts)
    case .overLimit, .hasNoKey, .isFull:
      refused[board.id] = (board.account.day, board.account.errors)
      return switch verdict {
      case .hasNoKey: .hasNoKey(counts)
      case .isFull: .isFull(counts)
      default: .overLimit(counts)
      }
    }
  }

  private func keep(
    _ content: [UInt8], for board: Found, _ number: Int64, at now: WallTime
  ) throws(StoreFailure) {
    let sealed = try sealer.seal(content, toStored: board.key, at: now)
    try insert.run([
      .integer(board.id), .integer(number), .integer(now.seconds), .bytes(sealed),
    ])
    // Another board may have had this identifier before, and higher numbers.
    began[board.id] = min(began[board.id] ?? number, number)
    let account = board.account
    try saveCounts.run([
      .integer(account.day.number), .integer(account.successful), .integer(account.errors),
      .integer(account.waiting), .integer(account.newest), .integer(board.id),
    ])
  }

  private func fetch(
    _ digest: Digest, _ request: FetchRequest, at now: WallTime
  ) throws(StoreFailure) -> Outcome {
    guard let board = try find(digest, byFetch) else { return .unknown }
    try forget.run([.integer(board.id), .integer(request.acknowledged)])
    let waiting = max(0, board.account.waiting - database.changes)
    try saveFetch.run([
      .integer(now.seconds), .bytes(request.key.bytes), .integer(waiting), .integer(board.id),
    ])
    let read = try readNext(board.id)
    return .waiting(read, remaining: max(0, waiting - Int64(read.count)))
  }

  private func readNext(_ board: Int64) throws(StoreFailure) -> [SealedNotification] {
    var read: [SealedNotification] = []
    var room = limits.answerByteCountMax
    try next.run([.integer(board), .integer(Int64(limits.answerCountMax))]) { row in
      room -= row.byteCount(2)
      guard room >= 0 || read.isEmpty else { return false }
      read.append(
        SealedNotification(
          number: row.integer(0), arrived: WallTime(seconds: row.integer(1)), sealed: row.bytes(2)))
      return true
    }
    return read
  }

  // MARK: Boards

  func add(_ name: String, _ token: BoardToken, at now: WallTime) throws(StoreFailure) -> Bool {
    try change(
      "INSERT OR IGNORE INTO board (name, push, fetch, created, day) VALUES (?, ?, ?, ?, ?)",
      [
        .text(name), .bytes(token.pushDigest.bytes), .bytes(token.fetchDigest.bytes),
        .integer(now.seconds), .integer(Day(of: now).number),
      ])
  }

  func rotate(_ name: String, _ token: BoardToken) throws(StoreFailure) -> Bool {
    try change(
      "UPDATE board SET push = ?, fetch = ?, public_key = NULL WHERE name = ?",
      [.bytes(token.pushDigest.bytes), .bytes(token.fetchDigest.bytes), .text(name)])
  }

  func revoke(_ name: String) throws(StoreFailure) -> Bool {
    try database.transaction { () throws(StoreFailure) in
      let boards = "(SELECT id FROM board WHERE name = ?)"
      try Statement(database, "DELETE FROM waiting WHERE board IN " + boards).run([.text(name)])
      return try change("DELETE FROM board WHERE name = ?", [.text(name)])
    }
  }

  private func change(_ text: String, _ values: [Statement.Value]) throws(StoreFailure) -> Bool {
    try Statement(database, text).run(values)
    return database.changes > 0
  }

  func boards(at now: WallTime) throws(StoreFailure) -> [BoardSummary] {
    var boards: [BoardSummary] = []
    let columns = """
      name, created, fetched, public_key IS NOT NULL, waiting, day, successful, errors,
      (SELECT min(arrived) FROM waiting WHERE board = board.id)
      """
    try Statement(database, "SELECT \(columns) FROM board ORDER BY name").run { row in
      var account = Account(
        day: Day(number: row.integer(5)), successful: row.integer(6), errors: row.integer(7),
        waiting: row.integer(4), hasKey: row.integer(3) != 0)
      account.beginDay(at: now)
      boards.append(
        BoardSummary(
          name: row.text(0), created: WallTime(seconds: row.integer(1)),
          fetched: row.isNull(2) ? nil : WallTime(seconds: row.integer(2)),
          hasKey: account.hasKey, waiting: account.waiting, today: account.successful,
          oldest: row.isNull(8) ? nil : WallTime(seconds: row.integer(8))))
      return true
    }
    return boards
  }

  // MARK: Time

  func clockStepped(by seconds: Int64) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      let move = try Statement(
        database, "UPDATE waiting SET arrived = arrived + ? WHERE board = ? AND number >= ?")
      for (board, number) in began {
        try move.run([.integer(seconds), .integer(board), .integer(number)])
      }
    }
  }

  func dropOld(at now: WallTime) throws(StoreFailure) -> Int64 {
    sealer.dropOld(at: now)
    return try database.transaction { () throws(StoreFailure) in
      let oldest = now.seconds - limits.waitingFor.components.seconds
      var dropped: Int64 = 0
      for board in try boardsWithOld(oldest) where dropped < limits.droppedCountMax {
        dropped += try drop(oldest, of: board, countMax: limits.droppedCountMax - dropped)
      }
      return dropped
    }
  }

  func probe() throws(StoreFailure) {
    // No board has the identifier 0.
    try Statement(database, "INSERT OR REPLACE INTO waiting VALUES (0, 0, 0, zeroblob(?))")
      .run([.integer(Int64(limits.bodyByteCountMax))])
    try Statement(database, "DELETE FROM waiting WHERE board = 0").run()
  }

  /// Boards of which the first notification came before a time. No index of times is kept for it:
  /// each notification would pay for that.
  private func boardsWithOld(_ oldest: Int64) throws(StoreFailure) -> [Int64] {
    var boards: [Int64] = []
    try Statement(
      database,
      """
      SELECT id FROM board
      WHERE (SELECT arrived FROM waiting WHERE board = id ORDER BY number LIMIT 1) < ?
      """
    ).run([.integer(oldest)]) { row in
      boards.append(row.integer(0))
      return true
    }
    return boards
  }

  private func drop(
    _ oldest: Int64, of board: Int64, countMax: Int64
  ) throws(StoreFailure) -> Int64 {
    try Statement(
      database,
      """
      DELETE FROM waiting WHERE board = ?1 AND arrived < ?2
      AND number IN (SELECT number FROM waiting WHERE board = ?1 ORDER BY number LIMIT ?3)
      """
    ).run([.integer(board), .integer(oldest), .integer(countMax)])
    let count = database.changes
    try Statement(database, "UPDATE board SET waiting = max(0, waiting - ?) WHERE id = ?")
      .run([.integer(count), .integer(board)])
    return count
  }
}

extension WallTime {
  var seconds: Int64 { nanoseconds.dividedDown(by: 1_000_000_000).quotient }

  /// Creates the moment that is `seconds` after 1970; the earliest or the latest one if it is too
  /// far away.
  init(seconds: Int64) {
    let (nanoseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    self.init(nanoseconds: isTooFar ? (seconds < 0 ? .min : .max) : nanoseconds)
  }
}
