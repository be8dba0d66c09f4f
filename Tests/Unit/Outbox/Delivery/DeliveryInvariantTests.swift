import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// The invariants that `Delivery` promises, in a world that does what it likes.
@Suite struct DeliveryInvariantTests {
  @Test func theInvariantsHoldWhateverHappens() throws {
    for seed in UInt64(0)..<300 {
      var world = try World(seed: seed)
      for step in 0..<400 {
        try world.step()
        try #require(world.broken == nil, "seed \(seed), step \(step)")
      }
      try world.reachTheEnd()
      try #require(world.broken == nil, "seed \(seed), at the end")
    }
  }
}

/// A random life of a delivery, with a note of what Home Assistant has really been given.
private struct World {
  private let rig: DeliveryRig
  private var random: SplitMix64
  private var sensors: [SensorIndex] = []
  private var nextValue: Int64 = 0
  /// The state of every sensor that Home Assistant said it has.
  private var given: [String: String] = [:]
  private var lastFix: Fix?
  private(set) var broken: StaticString?

  init(seed: UInt64) throws {
    rig = try DeliveryRig(seed: seed)
    random = SplitMix64(seed: seed)
    for number in 0..<4 { sensors.append(try rig.sensor("s\(number)", 0)) }
  }

  private mutating func below(_ limit: UInt64) -> Int { Int(random.next() % limit) }

  mutating func step() throws {
    switch below(8) {
    case 0: rig.sleep(.milliseconds(below(40_000)))
    case 1:
      let fix = Fix.here(at: rig.now.nanoseconds / 1_000_000_000)
      rig.record(fix)
      lastFix = fix
    case 2:
      nextValue += 1
      rig.record(sensors[below(4)], nextValue)
    case 3:
      let wasIdle = rig.isIdle
      rig.cycleDue()
      if wasIdle, rig.underWay == nil { broken = "a cycle was not begun" }
    case 4: if rig.deadline != nil { try rig.sleepUntilDeadline() }
    default: if rig.underWay != nil { try answer() }
    }
    check()
  }

  private mutating func answer() throws {
    let message = rig.underWay
    let data = rig.sent.last ?? ""
    switch below(12) {
    case 0: rig.answered(.notLive)
    case 1: rig.answered(.gone)
    case 2: rig.answered(.otherKey)
    case 3: rig.answered(.server(.notHomeAssistant(status: 200)))
    case 4: rig.connectionFailed()
    case 5: rig.answered(.unproven)
    case 6: rig.answered("{")
    case 7 where message == .states: try answerStates(to: data, everyOtherIsForgotten: true)
    default:
      if message == .states {
        try answerStates(to: data, everyOtherIsForgotten: false)
      } else {
        try rig.accept()
      }
    }
  }

  private mutating func answerStates(to data: String, everyOtherIsForgotten: Bool) throws {
    var verdicts: [String] = []
    for (place, element) in try elements(of: data).enumerated() {
      if everyOtherIsForgotten, place.isMultiple(of: 2) {
        verdicts.append(
          #""\#(element.id)":{"success":false,"error":{"code":"not_registered"}}"#)
      } else {
        verdicts.append(#""\#(element.id)":{"success":true}"#)
        given[element.id] = element.state
      }
    }
    rig.answered("{" + verdicts.joined(separator: ",") + "}")
  }

  private mutating func check() {
    if rig.isInOutage, rig.underWay == nil, rig.deadline == nil {
      broken = "an outage without a deadline"
    }
    if rig.underWay != nil, let deadline = rig.deadline,
      deadline > rig.now + Delivery.proofTimeout
    {
      broken = "a late deadline beside a message under way"
    }
    if let sent = rig.lastSentFix, sent.age > Delivery.fixAgeMax {
      broken = "an old fix was sent as new"
    }
    if let lastFix, rig.delivery.batch.fix == nil, rig.lastSentFix?.notBefore != lastFix.notBefore,
      rig.now - lastFix.notBefore <= Delivery.fixAgeMax
    {
      broken = "a fix was acknowledged that was never sent"
    }
    if let lost = lostValue() { broken = lost }
  }

  /// A value that is not due and that Home Assistant was never given.
  private func lostValue() -> StaticString? {
    for (index, slot) in rig.delivery.batch.slots.enumerated() where !slot.isDue {
      let sensor = rig.delivery.batch.sensors[SensorIndex(index)]
      let id = String(decoding: sensor.uniqueID, as: UTF8.self)
      guard case .number(let number)? = slot.value else { return "a value was forgotten" }
      if given[id] != "\(number.coefficient)" { return "acknowledged without a proof" }
    }
    return nil
  }

  /// The world calms down: everything arrives within one retry and one cycle.
  mutating func reachTheEnd() throws {
    if rig.underWay != nil { rig.connectionFailed() }
    if rig.deadline != nil { try rig.sleepUntilDeadline() }
    try rig.acceptAll()
    try rig.acceptedCycle()
    for slot in rig.delivery.batch.slots where slot.isDue && slot.status != .refused {
      broken = "a value never arrived"
    }
    if rig.isInOutage || !rig.isIdle { broken = "the outage never ended" }
  }
}
