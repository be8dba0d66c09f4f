import Bytes

/// Notifications in one file of SQLite.
///
/// A commit is on the disk before it is answered (`synchronous=FULL`), and many requests share one:
/// that is where a disk spends its time.
///
/// | table | row | key |
/// |---|---|---|
/// | `board` | a board: digests of its two secrets, its key, its day, how much waits | `id` |
/// | `waiting` | a sealed notification | the board and its number |
///
/// Times are seconds since 1970. `user_version` is the version of this table.
final class SQLiteStore: Store {
  static let version: Int64 = 1

  private let database: Database
  private let limits: Limits
  private let byPush: Statement
  private let byFetch: Statement
  private let saveCounts: Statement
  private let saveFetch: Statement
  private let insert: Statement
  private let forget: Statement
  private let next: Statement

  init(_ path: String, limits: Limits) throws(StoreFailure) {
    database = try Database(path)
    self.limits = limits
    database.setPatience(milliseconds: 5000)
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
      "SELECT number, arrived, sealed FROM waiting WHERE board = ? AND arrived >= ? "
        + "ORDER BY number LIMIT ?")
  }

  private static func prepare(_ database: Database) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      var found: Int64 = 0
      try Statement(database, "PRAGMA user_version").run { found = $0.integer(0) }
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
    try database.transaction { () throws(StoreFailure) in
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

  /// A board's row.
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
    }
    return found
  }

  private func push(_ request: PushRequest, at now: WallTime) throws(StoreFailure) -> Outcome {
    guard var board = try find(request.push, byPush) else { return .unknown }
    let verdict = board.account.notificationArrived(at: now, limits: limits)
    if case .accepted(let number) = verdict {
      guard let sealed = PublicKey(board.key)?.seal(request.content) else {
        return .hasNoKey(board.account.rateLimits(limits))
      }
      try insert.run([
        .integer(board.id), .integer(number), .integer(now.seconds), .bytes(sealed),
      ])
    }
    let account = board.account
    try saveCounts.run([
      .integer(account.day.number), .integer(account.successful), .integer(account.errors),
      .integer(account.waiting), .integer(account.newest), .integer(board.id),
    ])
    let counts = account.rateLimits(limits)
    return switch verdict {
    case .accepted: .accepted(counts)
    case .overLimit: .overLimit(counts)
    case .hasNoKey: .hasNoKey(counts)
    case .isFull: .isFull(counts)
    }
  }

  private func fetch(
    _ digest: Digest, _ request: FetchRequest, at now: WallTime
  ) throws(StoreFailure) -> Outcome {
    guard let board = try find(digest, byFetch) else { return .unknown }
    // A number that was never given is of another store, as after a restored backup: what is here
    // is not what the board has.
    var waiting = board.account.waiting
    if request.acknowledged <= board.account.newest {
      try forget.run([.integer(board.id), .integer(request.acknowledged)])
      waiting = max(0, waiting - database.changes)
    }
    let key = request.key?.bytes ?? board.key
    try saveFetch.run([
      .integer(now.seconds), key.isEmpty ? .null : .bytes(key), .integer(waiting),
      .integer(board.id),
    ])
    let read = try readNext(board.id, at: now)
    return .waiting(read, remaining: max(0, waiting - Int64(read.count)))
  }

  private func readNext(
    _ board: Int64, at now: WallTime
  ) throws(StoreFailure) -> [SealedNotification] {
    var read: [SealedNotification] = []
    var byteCount = 0
    let count = Int64(limits.answerCountMax)
    try next.run([.integer(board), .integer(oldest(now)), .integer(count)]) { row in
      let sealed = row.bytes(2)
      byteCount += sealed.count
      guard byteCount <= limits.answerByteCountMax || read.isEmpty else { return }
      read.append(
        SealedNotification(
          number: row.integer(0), arrived: WallTime(seconds: row.integer(1)), sealed: sealed))
    }
    return read
  }

  private func oldest(_ now: WallTime) -> Int64 {
    now.seconds - limits.waitingFor.components.seconds
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
      "UPDATE board SET push = ?, fetch = ? WHERE name = ?",
      [.bytes(token.pushDigest.bytes), .bytes(token.fetchDigest.bytes), .text(name)])
  }

  func revoke(_ name: String) throws(StoreFailure) -> Bool {
    try database.transaction { () throws(StoreFailure) in
      let boards = "(SELECT id FROM board WHERE name = ?)"
      try Statement(database, "DELETE FROM waiting WHERE board IN " + boards).run([.text(name)])
      try Statement(database, "DELETE FROM board WHERE name = ?").run([.text(name)])
      return database.changes > 0
    }
  }

  private func change(_ text: String, _ values: [Statement.Value]) throws(StoreFailure) -> Bool {
    try Statement(database, text).run(values)
    return database.changes > 0
  }

  func boards(at now: WallTime) throws(StoreFailure) -> [BoardSummary] {
    var boards: [BoardSummary] = []
    let columns = "name, created, fetched, public_key IS NOT NULL, waiting, day, successful, errors"
    try Statement(database, "SELECT \(columns) FROM board ORDER BY name").run { row in
      var account = Account(
        day: Day(number: row.integer(5)), successful: row.integer(6), errors: row.integer(7),
        waiting: row.integer(4), hasKey: row.integer(3) != 0)
      account.turnPage(at: now)
      boards.append(
        BoardSummary(
          name: row.text(0), created: WallTime(seconds: row.integer(1)),
          fetched: row.isNull(2) ? nil : WallTime(seconds: row.integer(2)),
          hasKey: account.hasKey, waiting: account.waiting, today: account.rateLimits(limits)))
    }
    return boards
  }

  func dropOld(at now: WallTime) throws(StoreFailure) -> Int64 {
    try database.transaction { () throws(StoreFailure) in
      try Statement(database, "DELETE FROM waiting WHERE arrived < ?").run([.integer(oldest(now))])
      let dropped = database.changes
      guard dropped > 0 else { return 0 }
      try database.execute(
        "UPDATE board SET waiting = (SELECT COUNT(*) FROM waiting WHERE board = board.id)")
      return dropped
    }
  }
}

extension WallTime {
  var seconds: Int64 { nanoseconds.dividedDown(by: 1_000_000_000) }

  /// The store's seconds; the earliest or the latest moment if there is no such.
  init(seconds: Int64) {
    let (nanoseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    self.init(nanoseconds: isTooFar ? (seconds < 0 ? .min : .max) : nanoseconds)
  }
}
