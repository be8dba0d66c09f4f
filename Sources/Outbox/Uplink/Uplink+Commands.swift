public import Bytes
public import HomeAssistant
import Sensing

// Commands of Home Assistant: those for the machine are performed here, the others by the driver.

extension Uplink {
  /// Handles a notification, which was confirmed if necessary.
  public func notified(_ notification: PushNotification, now: Instant) {
    self.now = now
    guard let call = CommandCall(notification) else {
      notifications.received(notification, now: now)
      return actions.append(.tell(.notified(notification)))
    }
    // A command whose result could not be reported is refused, but a pump can always be stopped.
    guard hasRoomForResult || call.switchesOff else {
      return tell(CommandResult(of: call, problem: .tooMany, time: nil))
    }
    do throws(CommandProblem) {
      let command = try commands.command(call, notification)
      keepCommandIDs()
      carryOut(command, call)
    } catch { ended(call, error) }
  }

  /// Returns the next notification from the push relay. A command waits until there is room for
  /// its result.
  func nextFetchedNotification() -> PushNotification? {
    push?.takeNotification { notification in
      guard let call = CommandCall(notification) else { return true }
      return hasRoomForResult || call.switchesOff
    }
  }

  /// Writes the due request to the push relay.
  public func writeFetch(into buffer: inout ByteBuffer) { push?.writeRequest(into: &buffer) }

  /// Identities of the commands that came, which `keepCommandIDs` writes.
  public var commandIDs: CommandIDs { commands.ids }

  /// Handles the end of a write of `commandIDs`; `words` are the cause of a failure.
  public func commandIDsKept(failure words: [UInt8]?) { if let words { keeper.tell(words) } }

  private var hasRoomForResult: Bool {
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
    let result = CommandResult(of: call, problem: problem, time: delivery.history.time(at: now))
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
