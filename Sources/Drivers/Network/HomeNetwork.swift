public import Bytes
public import LinuxIO
public import Sensing

/// Receiver of the network in which the machine is.
public protocol HomeNetworkOwner: AnyObject {
  /// Reports that `HomeNetwork.place` has changed.
  func placeChanged()

  /// Reports once that the place of the machine cannot be determined, or for another reason than
  /// before. Attempts continue.
  func homeNetworkFailed(_ failure: SourceFailure)

  /// Reports once that the place can be determined again.
  func homeNetworkRecovered()
}

/// The network in which the machine is, as the kernel announces it, whichever program manages the
/// network.
///
/// `NetworkMonitor` decides what to ask and interprets the answers; this moves the bytes between it
/// and two sockets. While nothing changes, it neither wakes up nor has a deadline. It needs no
/// privileges, only sockets of `AF_NETLINK`.
public final class HomeNetwork {
  /// Maximum number of datagrams per wake-up and socket; the rest waits for the next turn of the
  /// loop.
  static let readsMax = 16

  private let loop: EventLoop
  private unowned(unsafe) let owner: any HomeNetworkOwner
  private let name: InlineText
  private var monitor: NetworkMonitor
  private var buffer = ByteBuffer(capacity: NetworkMonitor.datagramByteCountMax)
  private var route: Line?
  private var generic: Line?

  /// Makes the driver; `owner` receives changes and failures, and outlives it. `goal` is Home
  /// Assistant at home; nil if no network is known to be home.
  public init(loop: EventLoop, owner: any HomeNetworkOwner, to goal: NetworkGoal? = nil) {
    self.loop = loop
    unsafe self.owner = owner
    name = InlineText("network")
    monitor = NetworkMonitor(name: name, to: goal)
  }

  /// Place of the machine, as far as known.
  public var place: NetworkPlace { monitor.place }

  /// Whether the place stays as it is until the kernel announces a change.
  public var isSettled: Bool { monitor.isSettled }

  /// Time at which `deadlineReached` is due; nil while nothing changes.
  public var deadline: Instant? { monitor.deadline }

  /// Starts to watch. The first place is reported as soon as the kernel has answered.
  public func start(now: Instant) {
    monitor.begin()
    perform(now: now)
  }

  /// Handles a reached deadline; an earlier call has no effect.
  public func deadlineReached(now: Instant) {
    monitor.deadlineReached(now: now)
    perform(now: now)
  }

  // MARK: Actions of the monitor

  private func perform(now: Instant) {
    while let action = monitor.nextAction() {
      do throws(Errno) {
        try perform(action, now: now)
      } catch {
        monitor.failed(SourceFailure(error, of: name), now: now)
      }
    }
  }

  private func perform(_ action: NetworkMonitor.Action, now: Instant) throws(Errno) {
    switch action {
    case .open: try open(now: now)
    case .close: stop()
    case .join(let netlink, let group): try line(netlink)?.socket.join(group: group)
    case .leave(let netlink, let group): try line(netlink)?.socket.leave(group: group)
    case .send(let netlink):
      try line(netlink)?.socket.send(monitor.request)
    case .speak(let address, let interface): address.speak(over: interface)
    case .tellPlace: unsafe owner.placeChanged()
    case .tellFailure(let failure): unsafe owner.homeNetworkFailed(failure)
    case .tellRecovery: unsafe owner.homeNetworkRecovered()
    }
  }

  private func open(now: Instant) throws(Errno) {
    let route = try Line(.route(), loop: loop, watcher: self)
    self.route = route
    let generic = try Line(.generic(), loop: loop, watcher: self)
    self.generic = generic
    monitor.opened(routePort: route.socket.port, genericPort: generic.socket.port, now: now)
  }

  /// Closes the sockets and releases the loop, which keeps this object alive until then. The known
  /// place stays.
  public func stop() {
    for line in [route, generic] { if let line { loop.stop(line.watch) } }
    route = nil
    generic = nil
  }

  private func line(_ netlink: NetlinkProtocol) -> Line? {
    switch netlink {
    case .route: route
    case .generic: generic
    }
  }

  // MARK: Messages of the kernel

  private func read(_ netlink: NetlinkProtocol, now: Instant) {
    for _ in 0..<Self.readsMax {
      // The last datagram may have closed the socket.
      guard let line = line(netlink) else { return }
      do throws(Errno) {
        switch try line.socket.receive(into: &buffer) {
        case .wouldBlock: return
        case .nothingOfTheKernel: continue
        case .overrun: monitor.overrun(now: now)
        case .truncated: monitor.truncated(now: now)
        case .datagram: monitor.received(buffer.bytes, on: netlink, now: now)
        }
      } catch {
        monitor.failed(SourceFailure(error, of: name), now: now)
      }
      perform(now: now)
    }
  }
}

extension HomeNetwork: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    let isRoute = descriptor == route?.socket.number
    read(isRoute ? .route : .generic, now: Moment.now.instant)
  }
}

/// A socket and its place in the loop.
private final class Line {
  let socket: NetlinkSocket
  let watch: Watch

  init(
    _ socket: consuming NetlinkSocket, loop: EventLoop, watcher: any Watcher
  ) throws(Errno) {
    watch = try loop.watch(socket.number, for: .input, telling: watcher)
    self.socket = socket
  }
}
