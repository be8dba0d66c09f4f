import Bytes
import HomeAssistant

/// Dispatcher of received commands: carries out each one once, and only allowed ones.
///
/// Invariants:
/// 1. A command that Home Assistant may believe undelivered is not carried out: its sender may send
///    it again, or another way.
/// 2. Of commands with one `id`, and of one that came twice, the first is carried out, over a
///    restart, too.
struct CommandDispatcher {
  /// Maximum delay of a reboot until Home Assistant has its result.
  static let rebootDelayMax: Duration = .seconds(15)

  private let allowed: CommandKinds
  /// The ids of those that came last; one with two ids has two places.
  private(set) var ids: CommandIDs
  /// Whether `ids` has changes that are not stored.
  private var isUnkept = false
  /// Commands whose result is known when all sources have answered.
  private var sampling: [CommandCall] = []
  /// Commands of this kind that request a fix.
  private var locating: [CommandCall] = []
  private var hasFix = false
  /// Number of orders that the board carries out.
  private var orderCount = 0
  /// Latest time of a requested reboot; nil without one.
  private(set) var rebootAt: Instant?

  init(allowed: CommandKinds, _ ids: CommandIDs) {
    self.allowed = allowed
    self.ids = ids
  }

  /// Returns the command of a notification; throws if it must not be carried out.
  mutating func command(
    _ call: CommandCall, _ notification: PushNotification
  ) throws(CommandProblem) -> Command {
    guard let kind = CommandKind(word: call.word.span) else { throw .unknownCommand }
    guard allowed.allows(kind) else { throw .notAllowed }
    guard notification.confirmation != .failed else { throw .notConfirmed }
    let command = try Command(kind, notification.data)
    let id = try CommandCall.id(in: notification.data)
    try remember(notification.confirmID?.bytes)
    try remember(id)
    return command
  }

  private mutating func remember(_ id: [UInt8]?) throws(CommandProblem) {
    guard let id else { return }
    guard ids.insert(id) else { throw .repeated }
    isUnkept = true
  }

  /// Forgets a refused command, so that its sender can correct and repeat it.
  mutating func forget(_ call: CommandCall) {
    guard let id = call.id else { return }
    ids.remove(id)
    isUnkept = true
  }

  /// Returns whether `ids` must be stored.
  mutating func takeChange() -> Bool {
    defer { isUnkept = false }
    return isUnkept
  }

  // MARK: Commands that wait

  /// Number of commands without a result.
  var waitingCount: Int { sampling.count + locating.count + orderCount }

  /// Whether the next fix is wanted whatever the track needs.
  var isLocating: Bool { !locating.isEmpty }

  mutating func orderGiven() { orderCount += 1 }

  mutating func orderEnded() { orderCount -= 1 }

  /// Adds a command that waits for the sources.
  mutating func samplingBegan(_ call: CommandCall, wantsFix: Bool) {
    guard wantsFix else { return sampling.append(call) }
    if locating.isEmpty { hasFix = false }
    locating.append(call)
  }

  /// Records that a fix is sent to Home Assistant.
  mutating func fixKept() { hasFix = true }

  /// Returns the commands that end when all sources have answered, with their problems.
  mutating func takeSampled() -> [(call: CommandCall, problem: CommandProblem?)] {
    var ended: [(call: CommandCall, problem: CommandProblem?)] = []
    for call in sampling { ended.append((call, nil)) }
    for call in locating { ended.append((call, hasFix ? nil : .noFix)) }
    sampling.removeAll()
    locating.removeAll()
    return ended
  }

  // MARK: Reboot

  mutating func rebootWanted(now: Instant) { rebootAt = rebootAt ?? now + Self.rebootDelayMax }

  /// Returns whether it is to be done now: Home Assistant has its result, or has not answered.
  mutating func takeReboot(isTold: Bool, now: Instant) -> Bool {
    guard let rebootAt, isTold || now >= rebootAt else { return false }
    self.rebootAt = nil
    return true
  }
}
