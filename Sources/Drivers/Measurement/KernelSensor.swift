import Bytes
import LinuxIO
public import Sensing

/// A channel of the kernel that is open: its file, and what its text means.
struct OpenChannel {
  let file: KernelFile
  /// Says 1 where the part has found that the number cannot be trusted; nil where none does.
  let fault: KernelFile?
  let bus: DeviceBus
  let conversion: KernelConversion

  /// `fault` is left out where there is no such file.
  init(file: KernelFile, fault: KernelFile, bus: DeviceBus, conversion: KernelConversion) {
    self.file = file
    self.fault = fault.exists ? fault : nil
    self.bus = bus
    self.conversion = conversion
  }
}

/// A number that a driver of the kernel measures, in a file of sysfs that stays open.
///
/// The file of a device that left says ENODEV for ever, also after the device came back, which then
/// may have another number. So each failure closes the file, and the next reading finds the device
/// again, and with it what was written to its other files in the meantime.
///
/// The device is looked for where the file is read, in the loop or beside it: a driver may ask its
/// part what the numbers mean, and so hold up that, too.
public final class KernelSensor: FileSource {
  /// How often in a row a driver may say that it has no value yet (EAGAIN).
  static let notYetMax = 3

  public override var deviceKinds: DeviceKinds { kinds }
  private let kinds: DeviceKinds
  private let measurement: MeasurementSettings
  private let open: () throws(SourceFailure) -> OpenChannel
  private var sensor: DeclaredSensor
  private var channel: OpenChannel?
  /// The bus of the channel; before that is known, one of its own.
  private var knownBus: DeviceBus
  /// What the last reading brought.
  private var outcome = Outcome.answer(.flaw)
  private var notYetCount = 0

  /// Makes the driver; `open` finds the device, and opens what has to be read of it.
  init(
    _ name: InlineText, _ measurement: MeasurementSettings, uniqueID: [UInt8],
    of devices: DeviceKinds,
    _ context: SourceContext, open: @escaping () throws(SourceFailure) -> OpenChannel
  ) {
    self.measurement = measurement
    kinds = devices
    self.open = open
    sensor = DeclaredSensor(
      measurement.description(uniqueID: uniqueID), minChange: measurement.entity.minChange)
    knownBus = DeviceBus(named: name.bytes)
    super.init(name, sink: context.sink, context.slowAccess)
  }

  // MARK: Reading

  /// What one reading of the file brought.
  private enum Outcome {
    case answer(KernelConversion.Answer)
    /// The part says itself that the number is none.
    case fault
    /// What it says instead of a number.
    case flaw(InlineText)
    case error(Errno)
    /// There is no file to read.
    case failure(SourceFailure)
  }

  override func readFiles() -> Bool {
    let isFresh = channel == nil
    let formerBus = knownBus
    do throws(SourceFailure) {
      let channel = if let channel { channel } else { try open() }
      self.channel = channel
      knownBus = channel.bus
      if isFresh, holdsLoopUp || knownBus != formerBus { return false }
      outcome = Self.outcome(of: channel)
    } catch {
      outcome = .failure(error)
    }
    guard case .error(.noSuchDevice) = outcome, !isFresh else { return true }
    close()
    return readFiles()
  }

  override var bus: DeviceBus { knownBus }

  private static func outcome(of channel: OpenChannel) -> Outcome {
    do throws(Errno) {
      let outcome = try channel.file.read { Self.outcome(of: channel, saying: $0) }
      guard case .answer = outcome, let fault = channel.fault else { return outcome }
      return (try? fault.read(isFault)) == true ? .fault : outcome
    } catch {
      return .error(error)
    }
  }

  private static func isFault(_ text: Span<UInt8>) -> Bool {
    KernelText.integer(text).map { $0 != 0 } ?? false
  }

  private static func outcome(of channel: OpenChannel, saying text: Span<UInt8>) -> Outcome {
    let answer = channel.conversion.answer(text)
    return answer == .flaw ? .flaw(InlineText(text.trimmed())) : .answer(answer)
  }

  // MARK: What came of it

  override func tell(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      let value = try value(outcome)
      sensor.record(value.map(Value.number) ?? .unknown, at: moment.wallTime, in: sink)
    } catch {
      close()
      // What was named is a sensor all the same, before it is there.
      sensor.record(error.value, at: moment.wallTime, in: sink)
      throw error
    }
  }

  override func tellSilence(at moment: Moment) {
    sensor.record(.unavailable, at: moment.wallTime, in: sink)
  }

  /// Nil where the driver has none yet.
  private func value(_ outcome: Outcome) throws(SourceFailure) -> FixedPoint? {
    switch outcome {
    case .answer(.number(let number)):
      notYetCount = 0
      if let value = measurement.value(of: number) { return value }
      throw .malformed(name, found: InlineText("a number too large for its calibration"))
    case .answer(.implausible(let number, let range)): throw range.failure(of: name, number)
    case .fault:
      throw .distrusted(
        name, why: "is faulty: its part says that the reading cannot be trusted",
        remedy: "look at what is connected there and at its cable: open or shorted")
    case .answer(.saturated(let number)):
      throw .malformed(name, found: Self.endOfRange(number))
    case .answer(.flaw): throw .malformed(name, found: InlineText("nothing"))
    case .flaw(let text):
      throw .malformed(name, found: text.count > 0 ? text : InlineText("nothing"))
    case .error(.wouldBlock) where notYetCount < Self.notYetMax:
      notYetCount += 1
      return nil
    case .error(let error): throw SourceFailure(error, of: name)
    case .failure(let failure): throw failure
    }
  }

  private static func endOfRange(_ number: FixedPoint) -> InlineText {
    var words = ByteBuffer(capacity: InlineText.byteCountMax)
    words.append(number)
    words.append(", the end of its range")
    return InlineText(words.bytes)
  }

  private func close() {
    channel = nil
    deviceLost()
  }
}
