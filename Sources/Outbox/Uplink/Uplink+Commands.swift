public import Bytes
public import HomeAssistant
import Sensing

// Commands of Home Assistant: those for the machine are performed here, the others by the driver.

extension Uplink {
  /// Handles a notification, which was confirmed if necessary.
  public func notified(_ notification: PushNotification, now: Instant) {
    self.now = now
    // Home Assistant sends it to the relay, too.
    if notification.confirmation == .failed { push?.wanted(now: now) }
    guard let call = CommandCall(notification) else {
      guard notifications.received(notification, now: now) else { return }
      return actions.append(.tell(.notified(notification)))
    }
    // A command whose result could not be reported is refused, but a pump can always be stopped.
    guard hasRoomForResult || call.switchesOff else {
      return tell(CommandResult(call: call, problem: .tooMany, time: nil))
    }
    do throws(CommandProblem) {
      let command = try commands.command(call, notification, now: now)
      keepCommandIDs()
      carryOut(command, call)
    } catch { ended(call, error) }
  }

  /// Writes the due request to the push relay.
  public func writeFetch(into buffer: inout ByteBuffer) { push?.writeRequest(into: &buffer) }

  /// Identities of the commands that came, which `keepCommandIDs` writes.
  public var commandIDs: CommandIDs { commands.ids }

  /// Handles the end of a write of `commandIDs`; `words` are the cause of a failure.
  public func commandIDsKept(failure words: [UInt8]?) { if let words { keeper.tell(words) } }

  var hasRoomForResult: Bool {
    delivery.commandResults.count + commands.waitingCount < CommandResults.countMax
  }

  /// Stores which commands came, before they are carried out.
  private func keepCommandIDs() { if commands.takeChange() { actions.append(.keepCommandIDs) } }

  private func carryOut(_ command: Command, _ call: CommandCall) {
    switch command {
    case .requestLocationUpdate:
      sample(for: call, wantsFix: true)
    case .updateSensors:
      delivery.restatementWanted()
      sample(for: call, wantsFix: false)
    case .interval(let every, let lasting):
      plan.setInterval(every, until: lasting.map { now + $0 }, now: now)
      tellPace()
      ended(call, nil)
    case .output(let name, let switching):
      give(.output(name, switching), for: call)
    case .anchor(let isSet): give(.anchor(isSet: isSet), for: call)
    case .reboot: give(.prepareReboot, for: call)
    case .clearNotification(let tag):
      notifications.clear(Text(tag))
      ended(call, nil)
    }
  }

  private func give(_ order: BoardOrder, for call: CommandCall) {
    commands.orderGiven()
    actions.append(.perform(order, for: call))
  }

  private func sample(for call: CommandCall, wantsFix: Bool) {
    commands.samplingBegan(call, wantsFix: wantsFix)
    // In a cycle in progress the receiver may have reported its fix already.
    if plan.sampleWanted(now: now) || wantsFix { actions.append(.sample) }
  }

  /// Handles the result of `perform`.
  public func performed(
    _ order: BoardOrder, for call: CommandCall, _ problem: CommandProblem?
  ) {
    commands.orderEnded()
    if case .prepareReboot = order, problem == nil { commands.rebootWanted(now: now) }
    if problem?.wasTried == false { commands.forget(call) }
    keepCommandIDs()
    ended(call, problem)
  }

  /// Ends the commands that waited for the sources.
  func commandsSampled() {
    guard commands.waitingCount > 0 else { return }
    for (call, problem) in commands.takeSampled() { ended(call, problem) }
  }

  private func ended(_ call: CommandCall, _ problem: CommandProblem?) {
    let result = CommandResult(call: call, problem: problem, time: delivery.history.time(at: now))
    // Refused commands leave room for the results of others.
    let isRefused = problem?.wasTried == false
    let countMax = isRefused ? CommandResults.refusedCountMax : CommandResults.countMax
    if delivery.commandResults.count < countMax { delivery.report(result) }
    tell(result)
  }

  private func tell(_ result: CommandResult) { actions.append(.tell(.command(result))) }

  /// Informs the sources of a changed interval.
  func tellPace() {
    let new = SamplingPace(cycle: plan.every, wantsPosition: !power.effect.isReceiverOff)
    guard new != pace else { return }
    pace = new
    actions.append(.setPace(pace))
  }

  /// Reboots the board as soon as Home Assistant knows, or cannot be informed.
  func rebootIfTold() {
    if commands.takeReboot(isTold: delivery.commandResults.count == 0, now: now) {
      actions.append(.reboot)
    }
  }
}

/// Dispatcher of received commands: carries out each one once, and only allowed ones.
///
/// Invariants:
/// 1. A command that Home Assistant may believe undelivered is not carried out: its sender may send
///    it again, or another way.
/// 2. A command that waited too long at the push relay is not carried out: what its sender wanted
///    then may do harm now.
/// 3. Of commands with one `id`, and of one that came twice, the first is carried out, over a
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
    _ call: CommandCall, _ notification: PushNotification, now: Instant
  ) throws(CommandProblem) -> Command {
    guard let kind = CommandKind(word: call.word.span) else { throw .unknownCommand }
    guard allowed.allows(kind) else { throw .notAllowed }
    guard notification.confirmation != .failed else { throw .notConfirmed }
    let isExpired = try Command.isExpired(notification, now: now)
    guard !isExpired || kind == .clearNotification else { throw .expired }
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
