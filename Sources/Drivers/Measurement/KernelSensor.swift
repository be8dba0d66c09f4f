import Bytes
import LinuxIO
public import Sensing

/// An open channel of the kernel: its file, and the meaning of its text.
struct OpenChannel {
  let file: KernelFile
  /// File with 1 if the part has found that the number cannot be trusted; nil if there is none.
  let fault: KernelFile?
  let bus: DeviceBus
  let conversion: KernelConversion
  /// Whether it is a thermometer of 1-Wire, which has a value before it measures.
  let isOneWire: Bool

  /// Leaves out `fault` if there is no such file.
  init(
    file: KernelFile, fault: KernelFile, bus: DeviceBus, conversion: KernelConversion,
    isOneWire: Bool = false
  ) {
    self.file = file
    self.fault = fault.exists ? fault : nil
    self.bus = bus
    self.conversion = conversion
    self.isOneWire = isOneWire
  }
}

/// A number that a driver of the kernel measures, in a file of sysfs that stays open.
///
/// The file of a device that left fails with ENODEV even after the device came back, which then may
/// have another number. So each failure closes the file, and the next reading finds the device
/// again, and with it what was written to its other files in the meantime.
///
/// The search for the device runs with the reading, in the loop or beside it: a driver may ask its
/// part what the numbers mean, and so delay the search, too.
public final class KernelSensor: NumberSource {
  /// Maximum number of consecutive readings in which a driver has no value yet (EAGAIN).
  static let notYetMax = 3

  public override var deviceKinds: DeviceKinds { kinds }
  private let kinds: DeviceKinds
  private let measurement: MeasurementSettings
  private let open: () throws(SourceFailure) -> OpenChannel
  private var channel: OpenChannel?
  /// Bus of the channel; before that is known, a bus of its own.
  private var knownBus: DeviceBus
  private var notYetCount = 0
  private var powerUp = PowerUpFilter()

  /// Makes the driver; `open` finds the device, and opens its files.
  init(
    _ name: InlineText, _ measurement: MeasurementSettings, uniqueID: [UInt8],
    of devices: DeviceKinds,
    _ context: SourceContext, open: @escaping () throws(SourceFailure) -> OpenChannel
  ) {
    self.measurement = measurement
    kinds = devices
    self.open = open
    knownBus = DeviceBus(named: name.bytes)
    super.init(
      name, context, measurement.description(uniqueID: uniqueID),
      minChange: measurement.entity.minChange, isNamed: true)
  }

  // MARK: Reading

  override func readFiles() -> Bool {
    let isFresh = channel == nil
    let formerBus = knownBus
    do throws(SourceFailure) {
      let channel = if let channel { channel } else { try open() }
      self.channel = channel
      knownBus = channel.bus
      if isFresh, holdsLoopUp || knownBus != formerBus { return false }
      answer = .success(try value(of: channel))
    } catch {
      if case .missing = error, !isFresh {
        close()
        return readFiles()
      }
      answer = .failure(error)
    }
    return true
  }

  override var bus: DeviceBus { knownBus }

  private func value(of channel: OpenChannel) throws(SourceFailure) -> Value {
    let answer: KernelConversion.Answer
    do throws(Errno) { answer = try channel.file.read { channel.conversion.answer($0) } } catch {
      guard error == .wouldBlock, notYetCount < Self.notYetMax else {
        throw SourceFailure(error, of: name)
      }
      notYetCount += 1
      return .unknown
    }
    if !answer.isFlaw, channel.fault?.reportsFault == true { throw .faulty(name) }
    let number = try answer.number(of: name)
    notYetCount = 0
    if channel.isOneWire, !powerUp.accepts(number.rounded(to: 3).coefficient) {
      throw .malformed(name, found: PowerUpFilter.words)
    }
    return .number(try measurement.value(of: number, from: name))
  }

  // MARK: Results

  override func tell(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) { try super.tell(at: moment) } catch {
      close()
      throw error
    }
  }

  private func close() {
    channel = nil
    deviceLost()
  }
}

extension KernelConversion.Answer {
  fileprivate var isFlaw: Bool { if case .flaw = self { true } else { false } }

  /// Returns the number.
  ///
  /// - Throws: the failure of `name` that stands for any other answer.
  func number(of name: InlineText) throws(SourceFailure) -> FixedPoint {
    switch self {
    case .number(let number): return number
    case .implausible(let number, let range): throw range.failure(of: name, number)
    case .saturated(let number):
      var words = ByteBuffer(capacity: InlineText.byteCountMax)
      words.append(number)
      words.append(", the end of its range")
      throw .malformed(name, found: InlineText(words.bytes))
    case .flaw(let text):
      throw .malformed(name, found: text.count > 0 ? text : InlineText("nothing"))
    }
  }
}

extension KernelFile {
  /// Whether the part reports, in this file, that the reading of a channel cannot be trusted. A
  /// file that cannot be read does not count.
  var reportsFault: Bool {
    (try? read { text in KernelText.integer(text).map { $0 != 0 } ?? false }) == true
  }
}

extension SourceFailure {
  /// Failure of a channel whose part `reportsFault`.
  static func faulty(_ name: InlineText) -> SourceFailure {
    .distrusted(
      name, why: "is faulty: its part reports that the reading cannot be trusted",
      remedy: "check what is connected there and its cable: open or shorted")
  }
}
