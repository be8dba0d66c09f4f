import CSQLite

/// A file of SQLite and one connection to it.
@safe final class Database {
  fileprivate let connection: OpaquePointer

  init(_ path: String) throws(StoreFailure) {
    var code: Int32 = 0
    guard let opened = unsafe csqlite_open(path, &code) else {
      throw StoreFailure(code: SQLITE_NOMEM, message: "SQLite has no memory", remedy: "")
    }
    unsafe connection = opened
    // From here on `deinit` closes it, also if it could not be opened.
    guard code == SQLITE_OK else { throw failure(path) }
  }

  deinit { unsafe sqlite3_close_v2(connection) }

  /// Runs statements that return nothing.
  func execute(_ text: String) throws(StoreFailure) {
    guard unsafe sqlite3_exec(connection, text, nil, nil, nil) == SQLITE_OK else {
      throw failure(nil)
    }
  }

  /// Limits the wait for another process that writes.
  func setBusyTimeout(milliseconds: Int32) {
    unsafe sqlite3_busy_timeout(connection, milliseconds)
  }

  /// Rows that the last statement changed.
  var changes: Int64 { unsafe sqlite3_changes64(connection) }

  /// Runs `body` in one transaction, in which no other connection writes.
  func transaction<Result>(
    _ body: () throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A full disk ends the transaction, too.
      try? execute("ROLLBACK")
      throw error
    }
  }

  fileprivate func failure(_ path: String?) -> StoreFailure {
    let code = unsafe sqlite3_extended_errcode(connection)
    let words = unsafe String(cString: sqlite3_errmsg(connection))
    return StoreFailure(
      code: code, message: path.map { "\($0): \(words)" } ?? words, remedy: Self.remedy(for: code))
  }

  private static func remedy(for code: Int32) -> String {
    switch code & 0xFF {
    case SQLITE_FULL: "make room on the disk"
    case SQLITE_BUSY, SQLITE_LOCKED: "another program has the store; try again"
    case SQLITE_CANTOPEN, SQLITE_PERM: "the folder has to be there, and writable for this user"
    case SQLITE_READONLY: "the store has to be writable for this user"
    case SQLITE_CORRUPT, SQLITE_NOTADB: "restore the store from its backup"
    case SQLITE_IOERR: "look at the disk"
    default: ""
    }
  }
}

/// A statement that is compiled once and run often.
@safe final class Statement {
  private let database: Database
  private let statement: OpaquePointer

  init(_ database: Database, _ text: String) throws(StoreFailure) {
    guard let prepared = unsafe csqlite_prepare(database.connection, text) else {
      throw database.failure(nil)
    }
    self.database = database
    unsafe statement = prepared
  }

  deinit { unsafe sqlite3_finalize(statement) }

  enum Value {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
  }

  /// Runs the statement; `row` gets each row, and returns whether it wants the next.
  func run(
    _ values: [Value] = [], _ row: (Row) -> Bool = { _ in true }
  ) throws(StoreFailure) {
    defer { unsafe sqlite3_reset(statement) }
    for (index, value) in zip(Int32(1)..., values) {
      guard bind(value, at: index) == SQLITE_OK else { throw database.failure(nil) }
    }
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW: if !row(Row(statement: self)) { return }
      case SQLITE_DONE: return
      default: throw database.failure(nil)
      }
    }
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
    case .text(let text): unsafe csqlite_bind_text(statement, index, text)
    case .bytes(let bytes): unsafe csqlite_bind_bytes(statement, index, bytes, bytes.count)
    }
  }

  /// Current row of a statement that runs.
  struct Row {
    fileprivate let statement: Statement

    func integer(_ column: Int32) -> Int64 {
      unsafe sqlite3_column_int64(statement.statement, column)
    }

    func isNull(_ column: Int32) -> Bool {
      unsafe sqlite3_column_type(statement.statement, column) == SQLITE_NULL
    }

    func bytes(_ column: Int32) -> [UInt8] {
      guard let start = unsafe sqlite3_column_blob(statement.statement, column) else { return [] }
      return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: byteCount(column)))
    }

    func byteCount(_ column: Int32) -> Int {
      Int(unsafe sqlite3_column_bytes(statement.statement, column))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
  }
}
