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
  private var figures: Result<Figures, SourceFailure>?

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

  private struct Figures {
    let received: FixedPoint
    let sent: FixedPoint
    /// Strength of the signal; nil if the interface has no radio.
    let signal: Value?
  }

  /// Reads the values. A stopped radio delays a request for its signal, for seconds.
  override func readFiles() -> Bool {
    do throws(SourceFailure) {
      let counts = (try megabytes(received), try megabytes(sent))
      let signal: Value? = if isRadio { try readSignal() } else { nil }
      figures = .success(Figures(received: counts.0, sent: counts.1, signal: signal))
    } catch {
      // Another device may come back under the same name.
      hasRadio = nil
      figures = .failure(error)
    }
    return true
  }

  override func tell(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      guard let figures = try figures?.get() else { return }
      receivedSensor.record(.number(figures.received), at: moment.wallTime, in: sink)
      sentSensor.record(.number(figures.sent), at: moment.wallTime, in: sink)
      guard let signal = figures.signal else { return }
      signalSensor.record(signal, at: moment.wallTime, in: sink)
    } catch {
      recordFailure(error.value, at: moment)
      throw error
    }
  }

  override func tellSilence(at moment: Moment) { recordFailure(.unavailable, at: moment) }

  /// Records a failure. A named interface has its counters before it exists, but it may have no
  /// radio.
  private func recordFailure(_ value: Value, at moment: Moment) {
    receivedSensor.record(value, at: moment.wallTime, in: sink)
    sentSensor.record(value, at: moment.wallTime, in: sink)
    signalSensor.recordFailure(value, at: moment.wallTime, in: sink)
  }

  /// Reads a counter in millions of bytes.
  private func megabytes(_ file: KernelFile) throws(SourceFailure) -> FixedPoint {
    try file.parse { (text) -> FixedPoint? in
      KernelText.integer(text, in: 0...Int64.max).map {
        FixedPoint($0, decimals: 6).rounded(to: 0)
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
