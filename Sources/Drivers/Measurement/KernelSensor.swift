public import Bytes
public import LinuxIO
public import Sensing

/// A channel of the kernel that is open: its file, and what its text means.
struct OpenChannel {
  let file: KernelFile
  let conversion: KernelConversion
}

/// A number that a driver of the kernel measures, in a file of sysfs that stays open.
///
/// The file of a device that left says ENODEV for ever, also after the device came back, which then
/// may have another number. So each failure closes the file, and the next reading finds the device
/// again, and with it what was written to its other files in the meantime.
public final class KernelSensor: Source {
  /// How often in a row a driver may say that it has no value yet (EAGAIN).
  static let notYetMax = 3

  public let name: InlineText
  private let measurement: MeasurementSettings
  private let open: () throws(SourceFailure) -> OpenChannel
  private let sink: any ReadingSink
  private var sensor: DeclaredSensor
  private var channel: OpenChannel?
  private var notYetCount = 0

  /// `name` is what messages call it, and `uniqueID` the one made of the address. `open` finds the
  /// device, and opens what has to be read of it.
  init(
    _ name: InlineText, _ measurement: MeasurementSettings, uniqueID: [UInt8],
    sink: any ReadingSink, open: @escaping () throws(SourceFailure) -> OpenChannel
  ) {
    self.name = name
    self.measurement = measurement
    self.sink = sink
    self.open = open
    sensor = DeclaredSensor(
      measurement.description(uniqueID: uniqueID), minChange: measurement.entity.minChange)
  }

  public func sample(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      let value = try value()
      sensor.record(value.map(Value.number) ?? .unknown, at: moment.wallTime, in: sink)
    } catch {
      channel = nil
      // What was named is a sensor before it is there.
      sensor.record(error.value, at: moment.wallTime, in: sink)
      throw error
    }
  }

  /// What one reading of the file brought.
  private enum Outcome {
    case answer(KernelConversion.Answer)
    /// What it says instead of a number.
    case flaw(InlineText)
    case error(Errno)
  }

  /// Nil where the driver has none yet.
  private func value() throws(SourceFailure) -> FixedPoint? {
    let wasOpen = channel != nil
    var outcome = try read()
    if wasOpen, case .error(.noSuchDevice) = outcome {
      channel = nil
      outcome = try read()
    }
    switch outcome {
    case .answer(.number(let number)):
      notYetCount = 0
      if let value = measurement.value(of: number) { return value }
      throw .malformed(name, found: InlineText("a number too large for its calibration"))
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

  /// The one place where a file of a driver is read. Some drivers measure meanwhile, and take up to
  /// some seconds.
  private func read() throws(SourceFailure) -> Outcome {
    let channel = if let channel { channel } else { try open() }
    self.channel = channel
    do throws(Errno) {
      return try channel.file.read { text in
        let answer = channel.conversion.answer(text)
        return answer == .flaw ? .flaw(InlineText(text.trimmed())) : .answer(answer)
      }
    } catch {
      return .error(error)
    }
  }

  private static func endOfRange(_ number: FixedPoint) -> InlineText {
    var words = ByteBuffer(capacity: InlineText.byteCountMax)
    words.append(number)
    words.append(", the end of its range")
    return InlineText(words.bytes)
  }
}
