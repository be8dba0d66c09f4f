import Bytes
import Sensing

/// A sensor that becomes known when it first has something to say, so that what a board does not
/// have never shows up.
struct DeclaredSensor {
  private enum State {
    case undeclared
    case declared(SensorIndex)
    /// No more sensors fit, which the sink has reported.
    case refused
  }

  private var description: SensorDescription
  private var state = State.undeclared
  private var deadBand: DeadBand
  private var unrest = UnrestFilter()

  /// `minChange` is the least change that counts; nil for the usual one of what is measured.
  /// `isRate` says whether 0 means that it has ended.
  init(_ description: SensorDescription, minChange: FixedPoint? = nil, isRate: Bool = false) {
    self.description = description
    deadBand = DeadBand(
      minChange: minChange ?? DeadBand.standardMinChange(of: description), isRate: isRate)
  }

  /// What it tells says nothing of the supply of this board.
  mutating func isOfPeripheral() { description.powerFigure = nil }

  mutating func record(_ value: Value, at time: WallTime, in sink: any ReadingSink) {
    recordState(unrest.admit(value, at: time), at: time, in: sink)
  }

  /// Records a value that is no failure even if it is no number, such as that of an anchor that is
  /// up: no former value stands in for it.
  // Every value of every driver passes here: called, not copied to each.
  @inline(never)
  mutating func recordState(_ value: Value, at time: WallTime, in sink: any ReadingSink) {
    if case .undeclared = state {
      state = sink.declare(description).map(State.declared) ?? .refused
    }
    guard case .declared(let index) = state else { return }
    sink.record(Reading(sensor: index, value: deadBand.admit(value), time: time))
  }

  /// Records the number that `read` brings; where it fails, what the failure means for the sensor.
  mutating func record(
    at time: WallTime, in sink: any ReadingSink, _ read: () throws(SourceFailure) -> FixedPoint
  ) throws(SourceFailure) {
    do throws(SourceFailure) {
      record(.number(try read()), at: time, in: sink)
    } catch {
      recordFailure(error.value, at: time, in: sink)
      throw error
    }
  }

  /// Records a value that stands for a failure, where there is a sensor to say so.
  mutating func recordFailure(_ value: Value, at time: WallTime, in sink: any ReadingSink) {
    if case .undeclared = state { return }
    record(value, at: time, in: sink)
  }
}
