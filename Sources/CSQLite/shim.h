// SQLite with the nullability that it documents.
#ifndef HOMEWARD_CSQLITE_H
#define HOMEWARD_CSQLITE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// Opens a database for one thread; null without memory. The connection has the reason of a failure
/// and is closed in any case.
static inline sqlite3 *_Nullable csqlite_open(const char *path, int *code) {
  sqlite3 *database = NULL;
  *code = sqlite3_open_v2(path, &database,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                              SQLITE_OPEN_EXRESCODE,
                          NULL);
  return database;
}

static inline sqlite3_stmt *_Nullable csqlite_prepare(sqlite3 *database, const char *text) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  return statement;
}

/// Binds a copy of some bytes; a blob of zero bytes is not NULL.
static inline int csqlite_bind_bytes(sqlite3_stmt *statement, int index,
                                     const void *_Nullable bytes, size_t count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text) {
  return sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

#pragma clang assume_nonnull end
#endif
