import Bytes
import Sensing

/// A sensor that is declared with its first value, so that sensors the board lacks never appear.
struct DeclaredSensor {
  private enum State {
    case undeclared
    case declared(SensorIndex)
    /// The sink accepts no more sensors, and has reported that.
    case refused
  }

  private var description: SensorDescription
  private var state = State.undeclared
  private var deadBand: DeadBand
  private var unrest = UnrestFilter()

  /// `minChange` is the smallest change to report; nil selects the standard one of the quantity.
  /// `isRate` says whether 0 means that what is measured has ended.
  init(_ description: SensorDescription, minChange: FixedPoint? = nil, isRate: Bool = false) {
    self.description = description
    deadBand = DeadBand(
      minChange: minChange ?? DeadBand.standardMinChange(of: description), isRate: isRate)
  }

  /// Marks the values of the sensor as unrelated to the supply of this board.
  mutating func isOfPeripheral() { description.powerFigure = nil }

  mutating func record(_ value: Value, at time: WallTime, in sink: any ReadingSink) {
    recordState(unrest.admit(value, at: time), at: time, in: sink)
  }

  /// Records a value that is not a failure even if it is not a number, such as that of an anchor
  /// that is up: no earlier value replaces it.
  // Not inlined: every value of every driver passes through here.
  @inline(never)
  mutating func recordState(_ value: Value, at time: WallTime, in sink: any ReadingSink) {
    if case .undeclared = state {
      state = sink.declare(description).map(State.declared) ?? .refused
    }
    guard case .declared(let index) = state else { return }
    sink.record(Reading(sensor: index, value: deadBand.admit(value), time: time))
  }

  /// Records a value that stands for a failure, if the sensor is declared.
  mutating func recordFailure(_ value: Value, at time: WallTime, in sink: any ReadingSink) {
    if case .undeclared = state { return }
    record(value, at: time, in: sink)
  }
}

extension [DeclaredSensor] {
  /// Records a value that stands for a failure, of those that are declared.
  mutating func recordFailure(_ value: Value, at time: WallTime, in sink: any ReadingSink) {
    for index in indices { self[index].recordFailure(value, at: time, in: sink) }
  }
}
