public import Bytes

/// Asks nl80211 for the signal of the station that an interface is associated with: first for the
/// number of the family, then for the driver's information about the station. A driver that lists
/// no station, as those of Realtek and of old chips of Broadcom, is asked for the one of the access
/// point by its address, which the list of received stations has.
///
/// The kernel answers a request before the next one can be sent, so the inquiry never waits.
public struct SignalInquiry: ~Copyable {
  /// Maximum size of a datagram.
  public static let datagramByteCountMax = NetworkMonitor.datagramByteCountMax

  /// Next step after a datagram.
  public enum Step: Equatable, Sendable {
    /// The answer continues in the next datagram.
    case read
    /// `request` is the next one to send.
    case send
    /// The signal in dBm; nil if the radio is associated with no station, or with several.
    case found(dBm: Int8?)
    /// The interface is not a radio, or unknown to nl80211.
    case noRadio
    case failed(errno: Int32)
  }

  private enum Question {
    case families(found: WirelessFamily?)
    case station(WirelessFamily, heard: Heard)
    case accessPoint(WirelessFamily, found: HardwareAddress?)
    case stationOfAccessPoint
  }

  private enum Heard {
    case none
    /// The station of a client is the access point.
    case one(Int8)
    /// The stations of an access point are its clients.
    case several
  }

  /// Request to send.
  public private(set) var request: ByteBuffer
  private var family: WirelessFamily?
  private var interface: UInt32 = 0
  private var question = Question.families(found: nil)
  private var sequence: UInt32 = 0

  public init() { request = ByteBuffer(capacity: NetlinkRequest.byteCountMax) }

  /// Starts an inquiry about the interface with this index; `request` is the first request.
  public mutating func begin(interface: UInt32) {
    self.interface = interface
    if let family { askOfStation(family) } else { askForFamilies() }
  }

  private mutating func askForFamilies() {
    question = .families(found: nil)
    write(.families)
  }

  private mutating func askOfStation(_ family: WirelessFamily) {
    question = .station(family, heard: .none)
    write(.associatedStations(family, interface: interface))
  }

  private mutating func write(_ question: NetlinkRequest) {
    sequence &+= 1
    request.removeAll()
    request.append(question, sequence: sequence)
  }

  /// Processes one datagram of the kernel.
  public mutating func received(_ datagram: Span<UInt8>) throws(NetlinkError) -> Step {
    var messages = NetlinkMessages(datagram)
    while let message = try messages.next() {
      guard message.sequence == sequence else { continue }
      switch message.type {
      case Netlink.MessageType.error, Netlink.MessageType.done:
        let error = try message.errorNumber()
        return error == 0 ? ended() : refused(error)
      default: if let step = try take(message) { return step }
      }
    }
    return .read
  }

  private mutating func take(
    _ message: borrowing NetlinkMessage
  ) throws(NetlinkError) -> Step? {
    switch question {
    case .families(found: nil):
      question = .families(found: try WirelessFamily(message))
    case .families: break
    case .station(let family, let heard):
      guard message.type == family.id, let signal = try Self.signal(in: message) else {
        return nil
      }
      if case .none = heard {
        question = .station(family, heard: .one(signal))
      } else {
        question = .station(family, heard: .several)
      }
    case .accessPoint(let family, found: nil):
      guard message.type == family.id else { return nil }
      let network = try WirelessNetwork(associatedIn: message)
      question = .accessPoint(family, found: network?.bssid)
    case .accessPoint: break
    case .stationOfAccessPoint:
      // Its answer is no list: nothing ends it.
      return .found(dBm: try Self.signal(in: message))
    }
    return nil
  }

  private mutating func ended() -> Step {
    switch question {
    case .families(found: nil): return .noRadio
    case .families(let found?):
      family = found
      askOfStation(found)
      return .send
    case .station(_, .one(let signal)): return .found(dBm: signal)
    case .station(let family, .none): return askForAccessPoint(family)
    case .station: return .found(dBm: nil)
    case .accessPoint(let family, let bssid?):
      question = .stationOfAccessPoint
      write(.station(family, interface: interface, bssid: bssid))
      return .send
    case .accessPoint, .stationOfAccessPoint: return .found(dBm: nil)
    }
  }

  private mutating func askForAccessPoint(_ family: WirelessFamily) -> Step {
    question = .accessPoint(family, found: nil)
    write(.stations(family, interface: interface))
    return .send
  }

  private mutating func refused(_ error: Int32) -> Step {
    switch (question, error) {
    case (.station(let family, .none), KernelError.notSupported):
      return askForAccessPoint(family)
    case (.station, KernelError.noSuchDevice), (.station, KernelError.notSupported),
      (.accessPoint, KernelError.noSuchDevice), (.accessPoint, KernelError.notSupported):
      return .noRadio
    // It left in the meantime.
    case (.stationOfAccessPoint, _): return .found(dBm: nil)
    case (.station, KernelError.noSuchEntry):
      // The number of the family is invalid after its module was removed.
      family = nil
      return .failed(errno: error)
    default: return .failed(errno: error)
    }
  }

  /// Returns the average over the last frames if the driver computes one; otherwise the signal of
  /// the last frame.
  private static func signal(in message: borrowing NetlinkMessage) throws(NetlinkError) -> Int8? {
    var attributes = try message.attributes(after: GenericNetlink.headerByteCount)
    guard message.payload[0] == WirelessNetlink.Command.newStation else { return nil }
    var last: Int8?
    var average: Int8?
    while let attribute = try attributes.next() {
      guard attribute.type == WirelessNetlink.Attribute.stationInformation else { continue }
      var information = attribute.nested
      while let item = try information.next() {
        guard item.value.count == 1 else { continue }
        switch item.type {
        case WirelessNetlink.StationInformation.signal: last = Int8(bitPattern: item.value[0])
        case WirelessNetlink.StationInformation.signalAverage:
          average = Int8(bitPattern: item.value[0])
        default: break
        }
      }
    }
    return known(average) ?? known(last)
  }

  /// A signal that a radio can receive; nil for 0 and more, with which drivers report that they do
  /// not know it, or a percentage.
  private static func known(_ dBm: Int8?) -> Int8? { dBm.flatMap { $0 < 0 ? $0 : nil } }
}
