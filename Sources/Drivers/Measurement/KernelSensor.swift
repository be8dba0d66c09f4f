public import Bytes
public import LinuxIO
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
/// A file that is fast is read in the loop. One that is slow, or not known yet, is read beside it;
/// a cycle waits for that, and not for long. So is one whose bus is being read there, for which the
/// loop would wait, and each one after a file that has held the loop up in the same turn: a bus
/// that does not answer any more does that once, and not once for each of its channels.
public final class KernelSensor {
  /// How often in a row a driver may say that it has no value yet (EAGAIN).
  static let notYetMax = 3

  public let name: InlineText
  public let deviceKinds: DeviceKinds
  private let measurement: MeasurementSettings
  private let open: () throws(SourceFailure) -> OpenChannel
  private let reader: BackgroundReader
  private let sink: any ReadingSink
  private let supervisor: Supervisor
  private var sensor: DeclaredSensor
  private var channel: OpenChannel?
  /// What the file said, and how long that took, while its part is asked whether it is true.
  private var unconfirmed: (outcome: Outcome, duration: Duration)?
  /// Whether the channel was opened for the reading at hand.
  private var isFresh = false
  private var pace = ReadPace()
  private var answer: PendingAnswer
  private var notYetCount = 0

  /// - Parameters:
  ///   - name: what messages call it.
  ///   - measurement: what its number means.
  ///   - uniqueID: the one made of the address.
  ///   - devices: which kind of device it is of.
  ///   - context: who reads what is slow, and who hears of the number.
  ///   - open: finds the device, and opens what has to be read of it.
  init(
    _ name: InlineText, _ measurement: MeasurementSettings, uniqueID: [UInt8],
    of devices: DeviceKinds,
    _ context: SourceContext, open: @escaping () throws(SourceFailure) -> OpenChannel
  ) {
    self.name = name
    self.measurement = measurement
    deviceKinds = devices
    self.open = open
    reader = context.reader
    sink = context.sink
    supervisor = context.supervisor
    answer = PendingAnswer(timeout: context.answerTimeout)
    sensor = DeclaredSensor(
      measurement.description(uniqueID: uniqueID), minChange: measurement.entity.minChange)
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
  }

  /// Reads the file, or has it read.
  private func read(at moment: Moment) throws(SourceFailure) {
    isFresh = channel == nil
    let channel = if let channel { channel } else { try open() }
    self.channel = channel
    if pace.isBesideLoop || isHeldUp(channel.bus, at: moment) {
      do throws(Errno) { try channel.file.ask(reader, on: channel.bus, telling: self) } catch {
        throw SourceFailure(error, of: name)
      }
      answer.asked(at: moment.instant)
    } else {
      let began = reader.now
      let outcome = Self.outcome(of: channel)
      let duration = reader.now - began
      pace.readEnded(after: duration)
      if duration > ReadPace.fastMax { reader.loopHeldUpAt = moment.instant }
      try take(outcome, at: moment)
    }
  }

  /// Whether also a file that is fast would hold the loop up now.
  private func isHeldUp(_ bus: DeviceBus, at moment: Moment) -> Bool {
    reader.loopHeldUpAt == moment.instant || reader.isReading(bus)
  }

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

  private func take(_ outcome: Outcome, at moment: Moment) throws(SourceFailure) {
    if case .error(.noSuchDevice) = outcome, !isFresh {
      close()
      return try read(at: moment)
    }
    let value = try value(outcome)
    sensor.record(value.map(Value.number) ?? .unknown, at: moment.wallTime, in: sink)
    supervisor.worked(name)
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
    }
  }

  private static func endOfRange(_ number: FixedPoint) -> InlineText {
    var words = ByteBuffer(capacity: InlineText.byteCountMax)
    words.append(number)
    words.append(", the end of its range")
    return InlineText(words.bytes)
  }

  /// Does `body`; where it fails, what was named is a sensor all the same, before it is there.
  private func attempt(
    at moment: Moment, _ body: () throws(SourceFailure) -> Void
  ) throws(SourceFailure) {
    do throws(SourceFailure) { try body() } catch {
      close()
      sensor.record(error.value, at: moment.wallTime, in: sink)
      throw error
    }
  }

  private func close() {
    channel = nil
    pace.fileLost()
  }

  /// The file was read beside the loop.
  private func answered(_ outcome: Outcome, in duration: Duration) {
    let moment = Moment.now
    answer.answered()
    pace.readEnded(after: duration)
    do throws(SourceFailure) {
      try attempt(at: moment) { () throws(SourceFailure) in try take(outcome, at: moment) }
    } catch {
      supervisor.failed(name, error, now: moment.instant)
    }
  }
}

extension KernelSensor: Source {
  /// Reads the file, or asks for it, unless the driver is still at its last answer.
  public func sample(at moment: Moment) throws(SourceFailure) {
    guard answer.isAwaited else {
      return try attempt(at: moment) { () throws(SourceFailure) in try read(at: moment) }
    }
    guard answer.isOverdue(now: moment.instant) else { return }
    // Its file stays open: a thread still reads it.
    sensor.record(.unavailable, at: moment.wallTime, in: sink)
    throw .silent(name)
  }

  public var listening: Listening { .answering }

  public var isGathering: Bool { answer.deadline != nil }

  public var shortfall: SourceFailure? { answer.isAwaited ? .silent(name) : nil }

  public var deadline: Instant? { answer.deadline }

  public func deadlineReached(at moment: Moment) { answer.deadlineReached(now: moment.instant) }
}

extension KernelSensor: BackgroundReadOwner {
  public func fileRead(_ bytes: Span<UInt8>, in duration: Duration) {
    guard let channel else { return }
    if let known = unconfirmed {
      unconfirmed = nil
      let outcome = Self.isFault(bytes) ? .fault : known.outcome
      return answered(outcome, in: known.duration + duration)
    }
    let outcome = Self.outcome(of: channel, saying: bytes)
    guard case .answer = outcome, let fault = channel.fault else {
      return answered(outcome, in: duration)
    }
    unconfirmed = (outcome, duration)
    do throws(Errno) { try fault.ask(reader, on: channel.bus, telling: self) } catch {
      fileReadFailed(error, in: .zero)
    }
  }

  /// What the part does not say of a number does not count.
  public func fileReadFailed(_ error: Errno, in duration: Duration) {
    let known = unconfirmed
    unconfirmed = nil
    answered(known?.outcome ?? .error(error), in: duration + (known?.duration ?? .zero))
  }
}
