import Bytes

/// The values of a device by label, and its identity.
///
/// A battery monitor sends its values in two alternating blocks; they are combined here. Another
/// device on the same cable is accepted after two blocks in a row that name it: a block whose sum
/// is right by chance must not create sensors.
struct VEDirectValues {
  private struct Row {
    var report = VEDirectSession.Report.none
    var heardAt: Instant?
    /// A count that came once and has to come again, in hundredths of a kWh.
    var doubtful: Int64?
  }

  /// Largest step of a count that is believed at once, in hundredths of a kWh.
  private static let stepMax: Int64 = 100

  /// A device, identified by its serial number, which battery monitors do not send.
  private struct Device: Equatable {
    let serial: InlineText?
  }

  private var rows = [Row](repeating: Row(), count: VEDirectSensor.count)
  private var device: Device?
  /// Another device, named by one block.
  private var candidate: Device?

  /// Serial number of the accepted device, if it sends one.
  var serial: InlineText? { (device ?? candidate)?.serial }
  /// Whether the last block named a device that is not accepted yet.
  var isUndecided: Bool { candidate != nil }

  /// The effect of a block.
  enum Taken: Equatable {
    /// Its values are stored.
    case values(VEDirectSensors)
    /// Its values are stored and belong to another device: all earlier values are dropped.
    case valuesOfAnother(VEDirectSensors)
    /// Its values belong to a device that is not accepted yet.
    case none
  }

  mutating func take(_ reader: borrowing VEDirectReader, now: Instant) -> Taken {
    guard let named = Self.device(in: reader) else { return .values(keep(reader, now: now)) }
    guard let known = device else {
      // The values of the first device count at once, its name after the next block.
      if candidate == named { (device, candidate) = (named, nil) } else { candidate = named }
      return .values(keep(reader, now: now))
    }
    if named == known {
      candidate = nil
      return .values(keep(reader, now: now))
    }
    guard candidate == named else {
      candidate = named
      return .none
    }
    (device, candidate) = (named, nil)
    for index in rows.indices { rows[index] = Row() }
    return .valuesOfAnother(keep(reader, now: now))
  }

  /// Ends the cycle: the device that the last block named is accepted.
  mutating func decide() {
    if device == nil { device = candidate }
    candidate = nil
  }

  func report(_ sensor: Int) -> VEDirectSession.Report { rows[sensor].report }
  func heardAt(_ sensor: Int) -> Instant? { rows[sensor].heardAt }

  /// Returns the device of a block; nil if the block has neither a product number nor a serial
  /// number.
  private static func device(in reader: borrowing VEDirectReader) -> Device? {
    var isNamed = false
    var serial: InlineText?
    var place = 0
    while let line = reader.nextLine(at: &place) {
      let label = reader.text.extracting(line.label)
      if label.elementsEqual("PID") { isNamed = true }
      if label.elementsEqual("SER#"), !line.value.isEmpty {
        serial = InlineText(reader.text.extracting(line.value))
      }
    }
    return isNamed || serial != nil ? Device(serial: serial) : nil
  }

  /// Whether a count has to come once more: two errors that cancel leave the sum of a block right,
  /// and Home Assistant takes a count that falls for another meter, and adds all of it.
  private mutating func isDoubtful(_ report: VEDirectSession.Report, of sensor: Int) -> Bool {
    guard VEDirectSensor.all[sensor].countsEnergy, case .value(.number(let new)) = report,
      case .value(.number(let old)) = rows[sensor].report
    else { return false }
    let before = rows[sensor].doubtful
    let isStep = (0...Self.stepMax).contains(new.coefficient - old.coefficient)
    rows[sensor].doubtful = isStep ? nil : new.coefficient
    if isStep { return false }
    return before.map { !(0...1).contains(new.coefficient - $0) } ?? true
  }

  private mutating func keep(
    _ reader: borrowing VEDirectReader, now: Instant
  ) -> VEDirectSensors {
    var heard: VEDirectSensors = []
    var place = 0
    while let line = reader.nextLine(at: &place) {
      let label = reader.text.extracting(line.label)
      guard let sensor = VEDirectSensor.number(of: label) else { continue }
      let report = VEDirectSensor.all[sensor].report(reader.text.extracting(line.value))
      guard !isDoubtful(report, of: sensor) else { continue }
      rows[sensor].report = report
      rows[sensor].heardAt = now
      heard.insert(sensor)
    }
    return heard
  }
}

extension VEDirectSensor {
  /// Returns the sensor of a label; nil for an unknown one.
  fileprivate static func number(of label: Span<UInt8>) -> Int? {
    for number in all.indices where label.elementsEqual(all[number].label) { return number }
    return nil
  }
}
