import Bytes
import Sensing

/// A session with a device at the other end of the cable, in virtual time.
final class VEDirectCable {
  private var session: VEDirectSession
  var now = Instant(nanoseconds: 1_000_000_000_000)
  /// How often the driver was woken.
  private(set) var wakeUpCount = 0
  /// What became of each cycle: the values by key.
  private(set) var told: [[String: VEDirectSession.Report]] = []
  private(set) var failures: [SourceFailure] = []
  private(set) var isPortOpen = false

  /// Of a device of which one value is wanted, or the usual ones.
  init(wanted key: String? = nil) {
    let place = key.flatMap { key in VEDirectSensor.keys.firstIndex { "\($0)" == key } }
    let wanted = place.map { VEDirectSensors([$0]) } ?? .usual
    session = VEDirectSession(name: InlineText("cable"), wanted: wanted)
  }

  private func perform(_ first: VEDirectSession.Action?, _ waiting: [UInt8] = []) {
    var action = first
    var rest = waiting[...]
    while let next = action {
      action = nil
      switch next {
      case .open:
        isPortOpen = true
        action = session.opened(now: now)
      case .listen, .pause, .discard: break
      case .read:
        while !rest.isEmpty {
          session.buffer.append([UInt8](rest.prefix(session.buffer.freeCapacity)))
          rest = rest.dropFirst(session.buffer.capacity)
          session.bytesRead(now: now)
        }
        action = session.drained(now: now)
      case .finish:
        isPortOpen = false
        told.append(reports)
      case .fail(let failure):
        isPortOpen = false
        failures.append(failure)
      }
    }
  }

  private var reports: [String: VEDirectSession.Report] {
    var reports: [String: VEDirectSession.Report] = [:]
    for sensor in 0..<VEDirectSensor.count {
      reports["\(VEDirectSensor.keys[sensor])"] = session.report(sensor, now: now)
    }
    return reports
  }

  func fail(_ failure: SourceFailure) { perform(session.failed(failure)) }

  func ask() { perform(session.cycleDue(now: now)) }

  /// The next cycle, a minute later, in which the device says these blocks.
  func askAgain(_ blocks: String...) {
    pass(.seconds(60))
    ask()
    for block in blocks { say(block) }
  }

  /// The device says these bytes after a wait; the driver reads when the session wants it.
  func say(_ bytes: [UInt8], after wait: Duration = .milliseconds(900)) {
    pass(wait)
    guard isPortOpen else { return }
    wakeUpCount += 1
    perform(session.inputArrived(now: now))
    guard let deadline = session.deadline, deadline <= now + VEDirectSession.blockTime else {
      return
    }
    now = deadline
    wakeUpCount += 1
    perform(session.deadlineReached(now: now), bytes)
  }

  func say(_ block: String) { say(VEDirectBlocks.bytes(block)) }

  /// Lets time pass; what is due meanwhile happens.
  func pass(_ duration: Duration) {
    let end = now + duration
    while let deadline = session.deadline, deadline <= end {
      now = max(now, deadline)
      wakeUpCount += 1
      perform(session.deadlineReached(now: now))
    }
    now = end
  }

  /// A number that was told in the last cycle.
  func number(_ key: String) -> Double? {
    guard case .value(.number(let number)) = told.last?[key] else { return nil }
    return number.double
  }

  func text(_ key: String) -> String? {
    guard case .value(.text(let text)) = told.last?[key] else { return nil }
    return String(decoding: [UInt8](text.bytes), as: UTF8.self)
  }

  /// One that is asked a minute after it was learned.
  static func askedAgain(_ block: String) -> VEDirectCable {
    let cable = learned(block)
    cable.askAgain()
    return cable
  }

  static func learned(_ block: String) -> VEDirectCable { asked(block, block) }

  /// One that is asked, and whose device says these blocks.
  static func asked(_ blocks: String..., wanted key: String? = nil) -> VEDirectCable {
    let cable = VEDirectCable(wanted: key)
    cable.ask()
    for block in blocks { cable.say(block) }
    return cable
  }

  var isGathering: Bool { session.isGathering }
  var deadline: Instant? { session.deadline }
  var shortfall: SourceFailure? { session.shortfall }
  var serial: String? { session.serial.map { String(decoding: [UInt8]($0.bytes), as: UTF8.self) } }
}
