import Bytes

/// What a device has said, label by label, and which device that is.
///
/// A battery monitor says its values in two blocks by turns; they are put together here. Another
/// device at the same cable is believed when two blocks in a row name it: a block whose sum is
/// right by chance must not make new sensors.
struct VEDirectValues {
  private struct Row {
    var answer = VEDirectSensor.Answer.none
    var heardAt: Instant?
  }

  /// A device by its serial number, which battery monitors do not tell.
  private struct Device: Equatable {
    let serial: InlineText?
  }

  private var rows = [Row](repeating: Row(), count: VEDirectSensor.count)
  private var device: Device?
  /// Another device, which one block has named.
  private var candidate: Device?

  /// The serial number of the device that is believed, where it tells one.
  var serial: InlineText? { (device ?? candidate)?.serial }
  /// Whether what was said last named a device that is not believed yet.
  var isUndecided: Bool { candidate != nil }

  /// What a block did.
  enum Taken: Equatable {
    /// Its values are kept.
    case values(VEDirectSensors)
    /// The same, and they are those of another device: nothing else is known of it.
    case valuesOfAnother(VEDirectSensors)
    /// They are those of a device that is not believed yet.
    case none
  }

  mutating func take(_ reader: borrowing VEDirectReader, now: Instant) -> Taken {
    guard let named = Self.device(in: reader) else { return .values(keep(reader, now: now)) }
    guard let known = device else {
      // The first device: its values count at once, and its name with the next block.
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

  /// No other block will come in this cycle: what the last one named is believed.
  mutating func decide() {
    if device == nil { device = candidate }
    candidate = nil
  }

  func answer(_ sensor: Int) -> VEDirectSensor.Answer { rows[sensor].answer }
  func heardAt(_ sensor: Int) -> Instant? { rows[sensor].heardAt }

  /// Only blocks with the number of the product tell which device it is.
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

  private mutating func keep(
    _ reader: borrowing VEDirectReader, now: Instant
  ) -> VEDirectSensors {
    var heard = VEDirectSensors.none
    var place = 0
    while let line = reader.nextLine(at: &place) {
      let label = reader.text.extracting(line.label)
      guard let sensor = VEDirectSensor.number(of: label) else { continue }
      rows[sensor].answer = VEDirectSensor.all[sensor].answer(reader.text.extracting(line.value))
      rows[sensor].heardAt = now
      heard.insert(sensor)
    }
    return heard
  }
}

extension VEDirectSensor {
  /// The sensor of a label; nil for one that is not known.
  fileprivate static func number(of label: Span<UInt8>) -> Int? {
    for number in all.indices where label.elementsEqual(all[number].label) { return number }
    return nil
  }
}
