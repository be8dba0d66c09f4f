public import Bytes
import CLinux
public import LinuxIO
public import Sensing

/// The kernel's announcements of devices that come, go or change (`NETLINK_KOBJECT_UEVENT`), for
/// the sources that read them: an unplugged device, an inserted battery, a returned sensor.
///
/// `DeviceMonitor` decides which of them the supervisor receives, and when. Only the kernel is
/// believed, which sends from port 0, and only the kind of device is used. Without such a socket,
/// as in some containers, each cycle finds the same changes.
public final class DeviceEvents {
  /// Group of the kernel's own announcements; those of udev have another group.
  private static let group: UInt32 = 1

  public let name = InlineText("device events")
  private let loop: EventLoop
  private let supervisor: Supervisor
  private var monitor = DeviceMonitor()
  private var buffer = ByteBuffer(capacity: DeviceMonitor.datagramByteCountMax)
  private var socket: NetlinkSocket?
  private var watch: Watch?
  /// Whether the loop ignores the socket now.
  private(set) var isResting = false

  /// Opens nothing yet.
  public init(loop: EventLoop, supervisor: Supervisor) {
    self.loop = loop
    self.supervisor = supervisor
  }

  private func open() throws(Errno) {
    let socket = try NetlinkSocket.deviceEvents()
    try socket.join(group: Self.group)
    watch = try loop.watch(socket.number, for: .input, telling: self)
    self.socket = consume socket
  }

  private func close() {
    if let watch { loop.stop(watch) }
    watch = nil
    isResting = false
    socket = nil
  }

  // MARK: Messages of the kernel

  private func read(at moment: Moment) {
    do throws(Errno) {
      var count: UInt32 = 0
      while count < DeviceMonitor.datagramsPerReadMax, try readDatagram() { count += 1 }
      monitor.socketRead(count: count, now: moment.instant)
      try rest()
    } catch {
      close()
      supervisor.failed(name, SourceFailure(error, of: name), now: moment.instant)
    }
    tell(at: moment)
  }

  /// Reads a datagram; returns whether there was one.
  private func readDatagram() throws(Errno) -> Bool {
    switch try socket?.receive(into: &buffer) {
    case .datagram: buffer.withBytes { monitor.received($0) }
    case .truncated, .overrun: monitor.lost()
    case .nothingOfTheKernel: break
    case .wouldBlock, nil: return false
    }
    return true
  }

  /// Starts or stops listening to the socket, as the monitor wants.
  private func rest() throws(Errno) {
    guard let watch, monitor.isResting != isResting else { return }
    try loop.change(watch, to: monitor.isResting ? [] : .input)
    isResting = monitor.isResting
  }

  private func tell(at moment: Moment) {
    let news = monitor.takeNews(now: moment.instant)
    if !news.isEmpty { supervisor.devicesChanged(news, at: moment) }
  }
}

extension DeviceEvents: Source {
  /// Opens the socket if it is closed.
  public func sample(at moment: Moment) throws(SourceFailure) {
    guard socket == nil else { return }
    do throws(Errno) { try open() } catch {
      close()
      throw Self.isForbidden(error) ? .missing(name) : SourceFailure(error, of: name)
    }
    supervisor.worked(name)
  }

  private static func isForbidden(_ error: Errno) -> Bool {
    switch error {
    case .notPermitted, .operationNotPermitted, Errno(code: EAFNOSUPPORT),
      Errno(code: EPROTONOSUPPORT):
      true
    default: false
    }
  }

  public var listening: Listening { .announcing }
  public var isOptional: Bool { true }
  public var deadline: Instant? { monitor.deadline }

  public func deadlineReached(at moment: Moment) {
    monitor.deadlineReached(now: moment.instant)
    if isResting, !monitor.isResting { return read(at: moment) }
    tell(at: moment)
  }
}

extension DeviceEvents: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) { read(at: .now) }
}

extension DeviceEvents {
  public static let remedies = SourceRemedies(
    of: InlineText("device events"), isNamedByPerson: false
  ) { _ in
    "changes of devices are found with the next cycle; see the kernel log: sudo dmesg"
  }
}
