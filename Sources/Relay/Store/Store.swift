import Bytes

/// A request to a store; many of them share a transaction.
enum StoreOperation {
  /// Seals a notification and keeps it.
  case push(PushRequest)
  /// Forgets what a board has, and reads what comes next.
  case fetch(Digest, FetchRequest)
}

enum Outcome: Equatable {
  case accepted(RateLimits)
  case overLimit(RateLimits)
  case hasNoKey(RateLimits)
  case isFull(RateLimits)
  case waiting([SealedNotification], remaining: Int64)
  /// The token belongs to no board, or was revoked.
  case unknown
}

/// A notification that only the board can open.
struct SealedNotification: Equatable {
  let number: Int64
  let arrived: WallTime
  let sealed: [UInt8]
}

/// A board as a person sees it.
struct BoardSummary: Equatable {
  let name: String
  let created: WallTime
  /// Last time that the board asked; nil before the first.
  let fetched: WallTime?
  let hasKey: Bool
  let waiting: Int64
  /// Notifications that were accepted today.
  let today: Int64
  /// Arrival of the oldest notification that waits; nil if none waits.
  var oldest: WallTime?
}

/// Failure of a store.
struct StoreFailure: Error, Equatable, CustomStringConvertible {
  let code: Int32
  /// The store's own words.
  let message: String
  /// A person's remedy, or an empty text.
  let remedy: String

  var description: String { remedy.isEmpty ? message : "\(message): \(remedy)" }
}

extension Sealer {
  /// Seals a message to a key that a store has kept.
  func seal(
    _ message: [UInt8], toStored key: [UInt8], at now: WallTime
  ) throws(StoreFailure) -> [UInt8] {
    guard let key = PublicKey(key), let sealed = seal(message, to: key, at: now) else {
      throw StoreFailure(
        code: 0, message: "a board's key is damaged", remedy: "restore the store from its backup")
    }
    return sealed
  }
}

/// Notifications that wait, and the boards for which they wait. What a store has accepted survives
/// a power cut.
protocol Store: AnyObject {
  /// Performs operations in their order. If it throws, all of them are to be asked for again: a
  /// store in this machine has performed none, one that is elsewhere perhaps some.
  func perform(_ operations: [StoreOperation], at now: WallTime) throws(StoreFailure) -> [Outcome]

  /// Adds a board; false if the name is taken.
  func add(_ name: String, _ token: BoardToken, at now: WallTime) throws(StoreFailure) -> Bool

  /// Gives a board another token and keeps what waits; false if there is no such board. Until the
  /// board asks with that token it has no key: another may have asked with the old one.
  func rotate(_ name: String, _ token: BoardToken) throws(StoreFailure) -> Bool

  /// Removes a board and what waits for it; false if there is no such board.
  func revoke(_ name: String) throws(StoreFailure) -> Bool

  /// Boards by their names.
  func boards(at now: WallTime) throws(StoreFailure) -> [BoardSummary]

  /// Moves the times of what came since this process began, or the server of the store, because
  /// the clock was set by `seconds`. What came before keeps its time: a clock that is behind after
  /// a power cut was right until then.
  func clockStepped(by seconds: Int64) throws(StoreFailure)

  /// Drops a part of what has waited too long; returns the number of notifications, 0 if nothing is
  /// left to drop.
  func dropOld(at now: WallTime) throws(StoreFailure) -> Int64

  /// Writes as much as a large notification, and removes it: a store that failed works again if it
  /// keeps that.
  func probe() throws(StoreFailure)
}
