import Bytes
import LinuxIO
import Sensing

/// One power supply of the kernel: its files and its sensors.
final class Supply {
  /// Whether the kernel lists it now.
  var isListed = false

  private let name: [UInt8]
  /// What messages call it.
  let label: InlineText
  private let directory: Path
  private let sink: any ReadingSink
  /// The first trouble of the running sample.
  private var failure: SourceFailure?

  private var isOpen = false
  private var quantities: [KernelFile?]
  private var status: KernelFile?
  private var online: KernelFile?
  private var present: KernelFile?
  /// One for each `SupplySensor`; those the supply turned out not to have are never declared.
  private var sensors: [DeclaredSensor]

  init(
    named name: [UInt8], in supplies: Path, minChanges: MinChanges, sink: any ReadingSink
  ) {
    self.name = name
    self.sink = sink
    label = InlineText(name.span)
    directory = supplies / name
    quantities = [KernelFile?](repeating: nil, count: SupplyQuantity.count)
    sensors = (0..<SupplySensor.count).compactMap { number in
      SupplySensor(rawValue: number).map {
        DeclaredSensor($0.description(of: name), minChange: minChanges[number])
      }
    }
    precondition(sensors.count == SupplySensor.count, "the sensors are numbered without a gap")
  }

  func isNamed(_ other: Span<UInt8>) -> Bool {
    let name = name
    return name.span.elementsEqual(other)
  }

  /// Reads what the supply says and records it. Answers what failed first, if anything did.
  func sample(at moment: Moment) -> SourceFailure? {
    failure = nil
    if isListed && (isOpen || open()) {
      record(at: moment)
    } else {
      if !isListed { note(.missing(label)) }
      close()
      recordAll(.unavailable, at: moment)
    }
    return failure
  }

  // MARK: The files

  /// Finds out what this supply can say.
  ///
  /// - Returns: false where its directory is still being filled.
  private func open() -> Bool {
    guard let isBattery = isBattery() else { return false }
    for number in quantities.indices {
      guard let quantity = SupplyQuantity(rawValue: number) else { continue }
      quantities[number] = file(quantity.attribute)
    }
    // Such as a keyboard without a cable: its battery is not the board's.
    if isOfPeripheral() {
      for number in sensors.indices { sensors[number].isOfPeripheral() }
    }
    status = file("status")
    present = file("present")
    // Some gauges have `online` too; it says nothing that their status does not.
    online = isBattery ? nil : file("online")
    isOpen = true
    return true
  }

  private func close() {
    guard isOpen else { return }
    for number in quantities.indices { quantities[number] = nil }
    status = nil
    present = nil
    online = nil
    isOpen = false
  }

  private func isBattery() -> Bool? {
    let type = KernelFile(directory / "type", label: label(of: "type"))
    do throws(SourceFailure) {
      return try type.parse { (text) -> Bool? in text.trimmed().elementsEqual("Battery") }
    } catch {
      note(error)
      return nil
    }
  }

  /// Whether it feeds a device and not the board, as far as its driver tells (`scope`).
  private func isOfPeripheral() -> Bool {
    guard let scope = file("scope") else { return false }
    do throws(Errno) { return try scope.read { $0.trimmed().elementsEqual("Device") } } catch {
      return false
    }
  }

  private func file(_ attribute: StaticString) -> KernelFile? {
    let file = KernelFile(directory / attribute, label: label(of: attribute))
    return file.exists ? file : nil
  }

  /// Such as `BAT0/voltage_now`.
  private func label(of attribute: StaticString) -> InlineText {
    InlineText((name + [UInt8(ascii: "/")] + [UInt8](attribute)).span)
  }

  // MARK: The readings

  private func record(at moment: Moment) {
    guard isPresent() else { return recordAll(.unavailable, at: moment) }
    var answers = SupplyAnswers()
    for number in quantities.indices {
      guard let file = quantities[number], let quantity = SupplyQuantity(rawValue: number) else {
        continue
      }
      answers[quantity] = answer(of: file, in: quantity.range)
    }
    record(answers.capacityPercent, of: .capacity, at: moment)
    record(status.map(text), of: .status, at: moment)
    record(online.map(truth), of: .online, at: moment)
    record(answers.voltageVolts, of: .voltage, at: moment)
    record(answers.currentAmperes, of: .current, at: moment)
    record(answers.energyWattHours, of: .energy, at: moment)
  }

  private func record(_ value: Value?, of sensor: SupplySensor, at moment: Moment) {
    guard let value else {
      // A supply that came back may have left a sensor behind.
      sensors[sensor.rawValue].recordFailure(.unavailable, at: moment.wallTime, in: sink)
      return
    }
    sensors[sensor.rawValue].record(value, at: moment.wallTime, in: sink)
  }

  private func recordAll(_ value: Value, at moment: Moment) {
    for number in sensors.indices {
      sensors[number].recordFailure(value, at: moment.wallTime, in: sink)
    }
  }

  /// Whether the battery is in its place. Only an answer that says so makes it absent.
  private func isPresent() -> Bool {
    guard let present else { return true }
    return answer(of: present, in: 0...1) != .number(0)
  }

  private func truth(_ file: KernelFile) -> Value {
    // 2 is "online, and programmable": the supply of a USB port that negotiated its voltage.
    switch answer(of: file, in: 0...2) {
    case .number(let number): .boolean(number != 0)
    case .unavailable, .absent: .unavailable
    case .unknown: .unknown
    }
  }

  /// The words as they are: a new one of a new driver is passed on.
  private func text(_ file: KernelFile) -> Value {
    let text: InlineText
    do throws(Errno) {
      text = try file.read { InlineText($0.trimmed()) }
    } catch {
      return answer(to: error, of: file) == .unavailable ? .unavailable : .unknown
    }
    guard text.count > 0 else {
      note(.malformed(file.label, found: text))
      return .unknown
    }
    return .text(text)
  }

  private func answer(of file: KernelFile, in range: ClosedRange<Int64>) -> SupplyAnswer {
    do throws(Errno) {
      return try file.read { text in
        if let number = KernelText.integer(text, in: range) { return .number(number) }
        note(.malformed(file.label, found: InlineText(text.trimmed())))
        return .unknown
      }
    } catch {
      return answer(to: error, of: file)
    }
  }

  /// Drivers say that they have no value now with ENODATA or EAGAIN, and some with ENODEV; that
  /// is how they talk, not a failure.
  private func answer(to error: Errno, of file: KernelFile) -> SupplyAnswer {
    switch error {
    case .noData, .wouldBlock: return .unknown
    case .noSuchDevice, .noSuchFile: return .unavailable
    default:
      note(SourceFailure(error, of: file.label))
      return .unknown
    }
  }

  private func note(_ failure: SourceFailure) {
    if self.failure == nil { self.failure = failure }
  }
}
