import Bytes
import LinuxIO
import Sensing

/// A power supply of the kernel: its files and its sensors.
final class Supply: FileSource {
  /// Time limit of a reading: a supply has a dozen files, each of which may take seconds.
  private static let silentTime: Duration = .seconds(300)

  /// Whether the kernel lists it now.
  var isListed = false
  /// Whether its kind, or the reason why it cannot be known, was reported.
  private(set) var isKnown = false
  /// Whether it is one of the followed supplies.
  private(set) var hasPlace = false
  /// Whether no place was left for it.
  private(set) var isRefused = false
  private var wasAway = false
  /// Whether a reading beside the loop has arrived and is not reported yet.
  private(set) var hasArrived = false

  private let id: [UInt8]
  private let directory: Path
  private let leavesOutDevices: Bool
  private unowned(unsafe) let owner: Supplies
  private var knownBus: DeviceBus?

  private var isOpen = false
  private var isOfDevice = false
  private var isOfBattery = false
  private var quantities: [KernelFile?]
  private var status: KernelFile?
  private var online: KernelFile?
  private var present: KernelFile?
  /// Result of the last reading; nil if nothing could be read, or the battery is away.
  private var said: Said?
  /// First failure of the last reading.
  private var failure: SourceFailure?
  /// Sensors in the order of `SupplySensor`; those that the supply lacks are never declared.
  private var sensors: [DeclaredSensor]

  private struct Said {
    var answers = SupplyAnswers()
    var status: Value?
    var online: Value?
  }

  init(
    _ settings: SupplySettings, _ context: SourceContext, named id: [UInt8], in folder: Path,
    owner: Supplies
  ) {
    self.id = id
    directory = folder / id
    leavesOutDevices = settings.names == nil
    unsafe self.owner = owner
    quantities = [KernelFile?](repeating: nil, count: SupplyQuantity.count)
    sensors = SupplySensor.allCases.map {
      DeclaredSensor($0.description(of: id), minChange: settings.minChanges[$0.rawValue])
    }
    super.init(InlineText(id.span), context)
  }

  func isNamed(_ other: Span<UInt8>) -> Bool {
    let id = id
    return id.span.elementsEqual(other)
  }

  /// Whether its name is after another in byte order.
  func comesAfter(_ other: [UInt8]) -> Bool { Text(other) < Text(id) }

  /// Whether a supply feeds a device and not the board, as far as its driver reports that.
  static func isOfDevice(at directory: Path) -> Bool {
    let scope = KernelFile(directory / "scope")
    do throws(Errno) { return try scope.read { $0.trimmed().elementsEqual("Device") } } catch {
      return false
    }
  }

  override var bus: DeviceBus { knownBus ?? super.bus }
  override var silentAfter: Duration { Self.silentTime }
  private var isLeftOut: Bool { isOfDevice && leavesOutDevices }

  // MARK: Sampling

  override func sample(at moment: Moment) throws(SourceFailure) {
    if isListed {
      wasAway = false
      guard isLeftOut, isKnown else { return try super.sample(at: moment) }
      return
    }
    wasAway = true
    isRefused = false
    if !isAwaited { close() }
    guard !isLeftOut else { return }
    recordAll(.unavailable, at: moment)
    throw .missing(name)
  }

  override func arrived(at moment: Moment) {
    hasArrived = true
    unsafe owner.tellArrived(at: moment)
  }

  func tellArrived(at moment: Moment) {
    hasArrived = false
    super.arrived(at: moment)
  }

  override func tell(at moment: Moment) throws(SourceFailure) {
    guard isListed else { throw .missing(name) }
    isKnown = true
    guard !isLeftOut, follow() else { return }
    if let said { record(said, at: moment) } else { recordAll(.unavailable, at: moment) }
    if let failure { throw failure }
  }

  /// Whether it was missing at its last sample, and no thread reads it.
  var isAway: Bool { !isListed && wasAway && !isAwaited }

  func losePlace() { hasPlace = false }

  /// Takes a place among the followed supplies, unless it has one.
  private func follow() -> Bool {
    guard !hasPlace else { return true }
    hasPlace = unsafe owner.takePlace()
    isRefused = !hasPlace
    guard hasPlace else {
      close()
      return false
    }
    if isOfDevice { for number in sensors.indices { sensors[number].isOfPeripheral() } }
    return true
  }

  override func tellSilence(at moment: Moment) { recordAll(.unavailable, at: moment) }

  // MARK: The files

  override func readFiles() -> Bool {
    failure = nil
    said = nil
    if !isOpen {
      let formerBus = bus
      guard open(), !isLeftOut else { return true }
      if bus != formerBus || holdsLoopUp { return false }
    }
    return readAll()
  }

  /// Finds the attributes of this supply.
  ///
  /// - Returns: false if its directory is still being filled.
  private func open() -> Bool {
    knownBus = DeviceBus(ofDeviceAt: directory)
    guard let isBattery = isBattery() else { return false }
    isOfBattery = isBattery
    isOfDevice = Self.isOfDevice(at: directory)
    guard !isLeftOut else { return true }
    for number in quantities.indices {
      guard let files = SupplyQuantity(rawValue: number)?.files else { continue }
      quantities[number] = file(files.first) ?? files.second.flatMap(file)
    }
    status = file("status")
    // An unplugged charger is `present` 0 with some drivers, and must be reported as off.
    present = isBattery ? file("present") : nil
    // Some gauges have `online` too; it adds nothing to their status.
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

  private func file(_ attribute: StaticString) -> KernelFile? {
    let file = KernelFile(directory / attribute, label: label(of: attribute))
    return file.exists ? file : nil
  }

  /// Name of an attribute in messages, such as `BAT0/voltage_now`.
  private func label(of attribute: StaticString) -> InlineText {
    InlineText((id + [UInt8(ascii: "/")] + [UInt8](attribute)).span)
  }

  // MARK: Reading the values

  /// Returns false if it stopped early because a file holds up the loop.
  private func readAll() -> Bool {
    // Only an explicit answer makes the battery absent.
    if let present, answer(of: present, in: 0...1) == .number(0) { return true }
    var said = Said()
    for number in quantities.indices {
      guard let file = quantities[number], let quantity = SupplyQuantity(rawValue: number) else {
        continue
      }
      if holdsLoopUp { return false }
      said.answers[quantity] = answer(of: file, as: quantity)
    }
    if holdsLoopUp { return false }
    said.status = status.map(text)
    if case .text(let word)? = said.status, word.bytes.elementsEqual("Full") {
      said.answers.fullBatteryReported()
    }
    said.online = online.map(truth)
    self.said = said
    return true
  }

  private func answer(of file: KernelFile, as quantity: SupplyQuantity) -> SupplyAnswer {
    let answer = answer(of: file, in: quantity.range)
    guard case .number(let number) = answer else { return answer }
    // Not a failure: its retries would delay the level of the supply.
    if isOfBattery, quantity.isBelowAnyCell(number) { return .unknown }
    guard let failure = quantity.failure(of: file.label, number) else { return answer }
    note(failure)
    return .unknown
  }

  private func truth(_ file: KernelFile) -> Value {
    // 2 is "online, and programmable": the supply of a USB port that negotiated its voltage.
    switch answer(of: file, in: 0...2) {
    case .number(let number): .boolean(number != 0)
    case .unavailable, .absent: .unavailable
    case .unknown: .unknown
    }
  }

  /// Returns the words unchanged: a new word of a new driver is passed on.
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

  /// Converts an error. Drivers report with ENODATA or EAGAIN, and some with ENODEV, that they have
  /// no value now; this is not a failure.
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

  // MARK: The readings

  private func record(_ said: Said, at moment: Moment) {
    record(said.answers.capacityPercent, of: .capacity, at: moment)
    record(said.status, of: .status, at: moment)
    record(said.online, of: .online, at: moment)
    record(said.answers.voltageVolts, of: .voltage, at: moment)
    record(said.answers.currentAmperes, of: .current, at: moment)
    record(said.answers.energyWattHours, of: .energy, at: moment)
  }

  private func record(_ value: Value?, of sensor: SupplySensor, at moment: Moment) {
    guard let value else {
      // A supply that came back may lack a sensor of its former self.
      sensors[sensor.rawValue].recordFailure(.unavailable, at: moment.wallTime, in: sink)
      return
    }
    sensors[sensor.rawValue].record(value, at: moment.wallTime, in: sink)
  }

  private func recordAll(_ value: Value, at moment: Moment) {
    sensors.recordFailure(value, at: moment.wallTime, in: sink)
  }
}
