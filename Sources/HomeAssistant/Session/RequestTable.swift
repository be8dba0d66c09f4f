import Bytes

/// Identifier of a request or a subscription until its end. It is never reused.
public struct RequestID: Hashable, Sendable {
  let number: UInt64
}

/// Requests and subscriptions of a session, in the order in which they were made.
struct RequestTable {
  enum Kind: Equatable {
    case single(Retry)
    /// Outlives connections, unless it is a run that must not be repeated.
    case subscription(isResubscribed: Bool)
  }

  struct Entry {
    let id: RequestID
    let kind: Kind
    /// JSON of the members beside `id`: `"type":"ping"`.
    let members: [UInt8]
    let created: Instant
    /// Number of the message on this connection.
    var wireID: Int64?
    /// Time of its last sending, or of a later delay of all answers; nil unless it waits for one.
    var sent: Instant?
    /// Whether Home Assistant confirmed the subscription.
    var isStarted = false
    /// Number of this subscription before `wireID`, under which events arrive until `wireID` is
    /// confirmed.
    var replacedWireID: Int64?
    /// Whether Home Assistant refused the subscription, which is retried later.
    var isRefused = false

    var isUnsent: Bool { wireID == nil && !isRefused }
  }

  private(set) var entries: [Entry] = []
  private(set) var unsentCount = 0
  private var lastNumber: UInt64 = 0

  init() { entries.reserveCapacity(32) }

  mutating func makeID() -> RequestID {
    lastNumber += 1
    return RequestID(number: lastNumber)
  }

  mutating func add(_ kind: Kind, members: [UInt8], now: Instant) -> RequestID {
    precondition(members.count <= Session.membersByteCountMax, "the client has looked at it")
    let id = makeID()
    entries.append(Entry(id: id, kind: kind, members: members, created: now))
    unsentCount += 1
    return id
  }

  /// Adds a request that is sent now and never again.
  mutating func addSent(wireID: Int64, now: Instant) -> RequestID {
    let id = makeID()
    entries.append(
      Entry(
        id: id, kind: .single(.never), members: [], created: now, wireID: wireID, sent: now))
    return id
  }

  func index(of id: RequestID) -> Int? { firstIndex { $0.id == id } }
  func index(ofWireID wireID: Int64) -> Int? {
    firstIndex { $0.wireID == wireID || $0.replacedWireID == wireID }
  }

  var firstUnsent: Int? { unsentCount > 0 ? firstIndex { $0.isUnsent } : nil }

  // The standard library's version allocates if it is not specialized, and a test counts
  // allocations.
  private func firstIndex(_ isMeant: (Entry) -> Bool) -> Int? {
    for index in entries.indices where isMeant(entries[index]) { return index }
    return nil
  }

  mutating func markSent(at index: Int, wireID: Int64, now: Instant) {
    entries[index].wireID = wireID
    entries[index].sent = now
    unsentCount -= 1
  }

  /// Restarts the time limit of all answers.
  mutating func answersDelayed(now: Instant) {
    for index in entries.indices where entries[index].sent != nil { entries[index].sent = now }
  }

  mutating func markStarted(at index: Int) {
    entries[index].isStarted = true
    entries[index].sent = nil
    entries[index].replacedWireID = nil
  }

  /// Sends a subscription again beside the current one, which ends after the confirmation.
  mutating func markReplaced(at index: Int) {
    let wireID = entries[index].wireID
    markUnsent(at: index)
    entries[index].replacedWireID = wireID
  }

  /// Marks a subscription as refused; its number receives nothing more.
  mutating func markRefused(at index: Int) {
    entries[index].wireID = nil
    entries[index].sent = nil
    entries[index].isRefused = true
  }

  /// Marks an entry to be sent, or sent again, under a new number.
  mutating func markUnsent(at index: Int) {
    entries[index].replacedWireID = nil
    guard !entries[index].isUnsent else { return }
    entries[index].wireID = nil
    entries[index].sent = nil
    entries[index].isStarted = false
    entries[index].isRefused = false
    unsentCount += 1
  }

  mutating func remove(at index: Int) {
    if entries[index].isUnsent { unsentCount -= 1 }
    entries.remove(at: index)
  }
}

extension RequestTable.Entry {
  var isSubscription: Bool { if case .subscription = kind { true } else { false } }

  /// Whether it waits without a time limit.
  var isPatient: Bool { kind == .single(.always) || kind == .subscription(isResubscribed: true) }

  /// Returns the time limit, or nil.
  ///
  /// A sent entry waits for its answer; an unsent one expires, unless it is patient.
  func deadline(answerTimeout: Duration) -> Instant? {
    if let sent { return sent + answerTimeout }
    guard wireID == nil, !isPatient else { return nil }
    // At exactly this age it is still valid.
    if case .single(.within(let duration)) = kind { return created + duration + .nanoseconds(1) }
    return created + answerTimeout
  }

  /// Whether it is sent again after its connection was lost.
  func survivesLoss(now: Instant) -> Bool {
    if case .single(.within(let duration)) = kind { return now - created <= duration }
    return isPatient || wireID == nil
  }
}
