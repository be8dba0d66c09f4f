import Bytes
import LinuxIO
public import Sensing

/// Data that a network interface has received and sent since it came up, and the strength of the
/// signal at its radio (`Documentation/ABI/testing/sysfs-class-net-statistics`; nl80211).
public final class InterfaceStatistics: FileSource {
  private let received: KernelFile
  private let sent: KernelFile
  private let index: KernelFile
  private let radio: KernelFile
  private var receivedSensor: DeclaredSensor
  private var sentSensor: DeclaredSensor
  private var signalSensor: DeclaredSensor
  private var figures: Figures?

  /// Whether the interface has a radio; nil if unknown.
  private var hasRadio: Bool?
  private let nl80211: WirelessSocket

  init(_ settings: InterfaceSettings, _ context: SourceContext) {
    let interface = context.sys / "class" / "net" / settings.interface
    let name = settings.name
    received = KernelFile(interface / "statistics" / "rx_bytes", label: name)
    sent = KernelFile(interface / "statistics" / "tx_bytes", label: name)
    index = KernelFile(interface / "ifindex", label: name)
    radio = KernelFile(interface / "phy80211" / "name")
    nl80211 = WirelessSocket(named: name)
    receivedSensor = DeclaredSensor(settings.description(of: .received))
    sentSensor = DeclaredSensor(settings.description(of: .sent))
    signalSensor = DeclaredSensor(
      settings.description(of: .signal), minChange: settings.entity.minChange)
    super.init(name, context)
  }

  public override var deviceKinds: DeviceKinds { .network }

  /// Results of the reads: a value that cannot be read takes no other with it.
  private struct Figures {
    let received: Result<Value, SourceFailure>
    let sent: Result<Value, SourceFailure>
    /// Strength of the signal; nil if the interface has no radio.
    let signal: Result<Value, SourceFailure>?
  }

  /// Reads the values. A stopped radio delays a request for its signal, for seconds.
  override func readFiles() -> Bool {
    let figures = Figures(
      received: Result { () throws(SourceFailure) in try megabytes(received) },
      sent: Result { () throws(SourceFailure) in try megabytes(sent) },
      signal: isRadio ? Result { () throws(SourceFailure) in try readSignal() } : nil)
    // Another device may come back under the same name.
    if (figures.received.failure ?? figures.signal?.failure) != nil { hasRadio = nil }
    self.figures = figures
    return true
  }

  override func tell(at moment: Moment) throws(SourceFailure) {
    guard let figures else { return }
    receivedSensor.record(figures.received.value, at: moment.wallTime, in: sink)
    sentSensor.record(figures.sent.value, at: moment.wallTime, in: sink)
    let failure = figures.received.failure ?? figures.sent.failure ?? figures.signal?.failure
    if case .success(let signal)? = figures.signal {
      signalSensor.record(signal, at: moment.wallTime, in: sink)
    } else if let failure = figures.signal?.failure ?? failure {
      // Of a missing interface it is not known whether it has a radio.
      signalSensor.recordFailure(failure.value, at: moment.wallTime, in: sink)
    }
    if let failure { throw failure }
  }

  /// A named interface has its counters before it exists, but it may have no radio.
  override func tellSilence(at moment: Moment) {
    receivedSensor.record(.unavailable, at: moment.wallTime, in: sink)
    sentSensor.record(.unavailable, at: moment.wallTime, in: sink)
    signalSensor.recordFailure(.unavailable, at: moment.wallTime, in: sink)
  }

  /// More than a line of 10 Gbit/s carries in two years: some kernels extend a counter of 32 bits
  /// wrongly, to hundreds of petabytes.
  private static let byteCountMax: Int64 = 100_000_000_000_000_000

  /// Reads a counter in millions of bytes.
  private func megabytes(_ file: KernelFile) throws(SourceFailure) -> Value {
    try file.parse { (text) -> Value? in
      KernelText.integer(text, in: 0...Self.byteCountMax).map {
        .number(FixedPoint($0, decimals: 6).rounded(to: 0))
      }
    }
  }

  private var isRadio: Bool {
    let isRadio = hasRadio ?? radio.exists
    hasRadio = isRadio
    return isRadio
  }

  private func readSignal() throws(SourceFailure) -> Value {
    let index = try self.index.parse { KernelText.integer($0, in: 1...Int64(Int32.max)) }
    let signal = try nl80211.signal(ofInterface: UInt32(index))
    return signal.map { .number(FixedPoint(Int64($0))) } ?? .unavailable
  }
}

extension Result where Success == Value, Failure == SourceFailure {
  fileprivate var value: Value {
    switch self {
    case .success(let value): value
    case .failure(let failure): failure.value
    }
  }

  fileprivate var failure: SourceFailure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

/// A socket for requests to nl80211. The kernel has answered before it is read.
private final class WirelessSocket {
  /// Maximum number of datagrams of one answer.
  private static let datagramsMax = 64

  /// Name of the interface in messages.
  private let name: InlineText
  private var inquiry = SignalInquiry()
  private var socket: NetlinkSocket?
  private var buffer = ByteBuffer(capacity: SignalInquiry.datagramByteCountMax)

  init(named name: InlineText) { self.name = name }

  /// Returns the signal in dBm; nil while the radio is not associated with an access point.
  func signal(ofInterface index: UInt32) throws(SourceFailure) -> Int8? {
    do throws(SourceFailure) {
      return try askedSignal(ofInterface: index)
    } catch {
      // Datagrams that it still holds belong to the failed request.
      socket = nil
      throw error
    }
  }

  private func askedSignal(ofInterface index: UInt32) throws(SourceFailure) -> Int8? {
    inquiry.begin(interface: index)
    try send()
    for _ in 0..<Self.datagramsMax {
      guard try receive() else { continue }
      switch try step() {
      case .read: continue
      case .send: try send()
      case .found(let signal): return signal
      case .noRadio: return nil
      case .failed(let errno): throw .failed(name, errno: errno)
      }
    }
    throw .malformed(name, found: InlineText("an endless answer of nl80211"))
  }

  private func send() throws(SourceFailure) {
    do throws(Errno) {
      if socket == nil { socket = try NetlinkSocket.generic() }
      try socket?.send(inquiry.request)
    } catch {
      throw SourceFailure(error, of: name)
    }
  }

  /// Receives a datagram; returns whether the buffer holds one of the kernel.
  private func receive() throws(SourceFailure) -> Bool {
    do throws(Errno) {
      switch try socket?.receive(into: &buffer) {
      case .datagram: return true
      case .nothingOfTheKernel: return false
      case .truncated, .overrun, .wouldBlock, nil: break
      }
    } catch {
      throw SourceFailure(error, of: name)
    }
    throw .malformed(name, found: InlineText("half an answer of nl80211"))
  }

  private func step() throws(SourceFailure) -> SignalInquiry.Step {
    do throws(NetlinkError) { return try Self.received(buffer, by: &inquiry) } catch {
      throw .malformed(name, found: InlineText("a malformed answer of nl80211"))
    }
  }

  private static func received(
    _ datagram: borrowing ByteBuffer, by inquiry: inout SignalInquiry
  ) throws(NetlinkError) -> SignalInquiry.Step {
    try inquiry.received(datagram.bytes)
  }
}
