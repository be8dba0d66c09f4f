import Bytes

@testable import Outbox
@testable import PracticeHome

/// What is wrong with the hours in Home Assistant's statistics, and with those that wait for it.
struct HourAudit {
  /// What of the mean may get lost in the sums of many products.
  private static let roundingError = 1e-6

  private let world: World
  private(set) var complaints: [String] = []

  private var measured: MeasuredHours { world.ledger.hours }

  init(_ world: World) {
    self.world = world
    guard world.plan.importsStatistics else { return }
    let waiting = world.agent?.uplink.waitingHours.named ?? [:]
    let undisturbed = measured.undisturbed()
    for sensor in measured.sensors {
      let there = hoursInHomeAssistant(of: sensor)
      for number in there.keys.sorted() {
        let hour = MeasuredHours.Name(sensor: sensor, number: number)
        guard let told = there[number] else { continue }
        check(hour, told, isUndisturbed: undisturbed.contains(number))
      }
      for number in undisturbed.sorted() where there[number] == nil {
        let hour = MeasuredHours.Name(sensor: sensor, number: number)
        checkMissing(hour, waiting[hour])
      }
    }
  }

  private mutating func complain(_ words: String) { complaints.append(words) }

  private mutating func hoursInHomeAssistant(of sensor: String) -> [Int64: SensorHour] {
    var hours: [Int64: SensorHour] = [:]
    for hour in world.home.hours(of: sensor) {
      let number = WallTime(nanoseconds: hour.start.microseconds * 1000).hour
      let told = SensorHour(
        number: number,
        .measured(
          mean: hour.mean ?? .nan, lowest: hour.min ?? .nan, highest: hour.max ?? .nan))
      if hours.updateValue(told, forKey: number) != nil {
        complain("the hour \(number) of \(sensor) is there twice")
      }
    }
    return hours
  }

  /// What is told of an hour was measured; of one that was measured as a whole, it is right.
  private mutating func check(
    _ hour: MeasuredHours.Name, _ told: SensorHour, isUndisturbed: Bool
  ) {
    let words = "of \(hour.sensor) is told \(told)"
    guard case .measured(let mean, let lowest, let highest) = told.figures,
      measured.isMade(lowest, by: hour.sensor), measured.isMade(highest, by: hour.sensor),
      lowest - Self.roundingError <= mean, mean <= highest + Self.roundingError
    else { return complain("\(words), which is nothing that was made") }
    guard isUndisturbed, let figures = measured.figures(of: hour) else { return }
    if figures.unreached < HourlyStatistics.unreachedMin {
      return complain("\(words), which was Home Assistant's own matter: \(figures)")
    }
    if lowest != figures.lowest || highest != figures.highest
      || (mean - figures.mean).magnitude > Self.roundingError
    {
      complain("\(words), and it was \(figures)")
    }
  }

  /// An hour that Home Assistant lacks waits for it, or was lost with the agent that knew it.
  private mutating func checkMissing(_ hour: MeasuredHours.Name, _ waiting: SensorHour?) {
    guard let figures = measured.figures(of: hour),
      figures.unreached >= HourlyStatistics.unreachedMin
    else { return }
    if let waiting {
      check(hour, waiting, isUndisturbed: true)
    } else if !mayBeLost(hour) {
      complain("the hour \(hour.number) of \(hour.sensor) is nowhere, and it was \(figures)")
    }
  }

  /// Whether the agent that alone knew of the hour ended, and had a disk that did not take it since
  /// it was asked last, a cycle ago at most.
  private func mayBeLost(_ hour: MeasuredHours.Name) -> Bool {
    guard let end = measured.endedWithout(hour) else { return false }
    let moment = world.instant(of: Moment(end))
    return world.ledger.diskTroubles.contains {
      $0.from <= moment && moment - $0.to <= world.plan.every
    }
  }
}

extension WaitingHours {
  /// All of them, as the simulation names them.
  fileprivate var named: [MeasuredHours.Name: SensorHour] {
    var named: [MeasuredHours.Name: SensorHour] = [:]
    for sensor in sensors {
      for hour in sensor.hours {
        let id = String(decoding: sensor.sensor.uniqueID, as: UTF8.self)
        named[MeasuredHours.Name(sensor: id, number: hour.number)] = hour
      }
    }
    return named
  }
}

// What happens to the agent's measuring.
extension World {
  /// An agent began, or its clock was set, or it is gone.
  func measuringTurned() {
    ledger.hours.turned(isMeasuring: agent != nil && isClockSynchronized, at: trueTime)
  }

  /// What the agent that ends has not written is not known to the next one.
  func unkeptHoursLost() {
    guard let agent else { return }
    let kept = agent.keptHours?.named ?? [:]
    let unkept = agent.uplink.waitingHours.named.filter { kept[$0.key] != $0.value }
    ledger.hours.ended(without: Set(unkept.keys), at: trueTime)
  }
}
