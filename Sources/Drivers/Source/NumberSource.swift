import Bytes
import LinuxIO
import Sensing

/// A source of files with one sensor, most often a number.
public class NumberSource: FileSource {
  private var sensor: DeclaredSensor
  /// Whether the configuration names it: it is then a sensor even before it exists.
  private let isNamed: Bool
  /// Result of `readFiles`.
  final var answer: Result<Value, SourceFailure>?

  init(
    _ name: InlineText, _ context: SourceContext, _ sensor: SensorDescription,
    minChange: FixedPoint? = nil, isNamed: Bool = false
  ) {
    self.sensor = DeclaredSensor(sensor, minChange: minChange)
    self.isNamed = isNamed
    super.init(name, context)
  }

  /// Reads the number.
  func number() throws(SourceFailure) -> FixedPoint { throw .missing(name) }

  /// Returns the value to record; nil for none.
  func value(at moment: Moment) throws(SourceFailure) -> Value? {
    try answer?.get()
  }

  override func readFiles() -> Bool {
    do throws(SourceFailure) { answer = .success(.number(try number())) } catch {
      answer = .failure(error)
    }
    return true
  }

  override func tell(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      guard let value = try value(at: moment) else { return }
      sensor.record(value, at: moment.wallTime, in: sink)
    } catch {
      recordFailure(error.value, at: moment)
      throw error
    }
  }

  override func tellSilence(at moment: Moment) { recordFailure(.unavailable, at: moment) }

  private func recordFailure(_ value: Value, at moment: Moment) {
    if isNamed {
      sensor.record(value, at: moment.wallTime, in: sink)
    } else {
      sensor.recordFailure(value, at: moment.wallTime, in: sink)
    }
  }
}
