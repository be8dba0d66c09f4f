public import Bytes
import CLinux

/// Receiver of readiness events. It is called once per turn of the loop, so it does a bounded piece
/// of work and returns.
public protocol Watcher: AnyObject {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness)
}

/// Set of events of a descriptor.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let input = Readiness(rawValue: EPOLLIN.rawValue)
  public static let output = Readiness(rawValue: EPOLLOUT.rawValue)
  /// An error or a hang-up; always reported.
  public static let failure = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
}

/// Registration in an `EventLoop`: one slot and one use of it.
public struct Watch: Equatable, Sendable {
  fileprivate let index: UInt32
  fileprivate let generation: UInt32

  fileprivate var tag: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

/// Event loop over one epoll instance, with a watcher for each descriptor.
///
/// The tag in the kernel contains a generation beside the slot, so that a pending event never
/// reaches the next user of a descriptor number.
@safe public final class EventLoop {
  /// Maximum number of watched descriptors.
  public static let watchesMax = 128
  /// Minimum length of a sleep that may end `timerSlack` late, together with other wake-ups of the
  /// board (`PR_SET_TIMERSLACK` of prctl(2)). Shorter ones serve a line or a person.
  static let patientSleepMin: Duration = .seconds(4)
  static let timerSlack: Duration = .milliseconds(100)

  private struct Place {
    var generation: UInt32 = 0
    var descriptor: Int32 = -1
    var watcher: (any Watcher)?
  }

  private let epoll: Descriptor
  private var places: [Place]
  private let ready: UnsafeMutablePointer<clinux_ready>
  /// Descriptor that is ready when the wall clock was set or the board slept: the turn ends,
  /// because its deadline may be past.
  private let clockWatch: Descriptor
  /// Whether a clock jump happened since `takeClockJump`.
  private var hasClockJumped = false
  /// Whether the kernel's timer slack is set to `timerSlack`.
  private var isPatient = false

  public convenience init() throws(Errno) {
    try self.init(clockWatch: Descriptor(owning: try retryingInterrupts { clinux_clock_watch() }))
  }

  /// Creates a loop that wakes up when `clockWatch` is ready for input, which means a clock jump.
  init(clockWatch: consuming Descriptor) throws(Errno) {
    epoll = Descriptor(owning: try retryingInterrupts { epoll_create1(Int32(EPOLL_CLOEXEC)) })
    places = [Place](repeating: Place(), count: Self.watchesMax)
    unsafe ready = .allocate(capacity: Int(CLINUX_READY_MAX))
    self.clockWatch = clockWatch
    _ = try retryingInterrupts {
      clinux_epoll_add(epoll.number, self.clockWatch.number, Readiness.input.rawValue, .max)
    }
  }

  deinit { unsafe ready.deallocate() }

  /// Calls `watcher` whenever `descriptor` is ready, and keeps it alive until `stop`. The caller
  /// keeps the ownership of the descriptor and calls `stop` before closing it.
  public func watch(
    _ descriptor: Int32, for readiness: Readiness, telling watcher: any Watcher
  ) throws(Errno) -> Watch {
    guard let index = places.firstIndex(where: { $0.watcher == nil }) else {
      preconditionFailure("the configuration limits how many descriptors there are")
    }
    let watch = Watch(index: UInt32(index), generation: places[index].generation &+ 1)
    _ = try retryingInterrupts {
      clinux_epoll_add(epoll.number, descriptor, readiness.rawValue, watch.tag)
    }
    places[index] = Place(generation: watch.generation, descriptor: descriptor, watcher: watcher)
    return watch
  }

  public func change(_ watch: Watch, to readiness: Readiness) throws(Errno) {
    guard let descriptor = descriptor(of: watch) else { return }
    _ = try retryingInterrupts {
      clinux_epoll_modify(epoll.number, descriptor, readiness.rawValue, watch.tag)
    }
  }

  /// Removes a watch; ignores one that is already removed.
  public func stop(_ watch: Watch) {
    guard let descriptor = descriptor(of: watch) else { return }
    // A closed descriptor has already left the epoll set.
    _ = clinux_epoll_remove(epoll.number, descriptor)
    places[Int(watch.index)].watcher = nil
  }

  /// Sleeps until a descriptor is ready or `deadline` has passed, calls `afterSleep`, and then
  /// calls the watchers.
  public func turn(until deadline: Instant?, afterSleep: () -> Void = {}) throws(Errno) {
    let milliseconds = Self.milliseconds(until: deadline)
    if milliseconds > 0 { setTimerSlack(forSleepOf: .milliseconds(Int64(milliseconds))) }
    let count = unsafe clinux_epoll_wait(epoll.number, ready, milliseconds)
    // `afterSleep` may change errno.
    let error = Errno.current
    for index in 0..<Int(max(count, 0)) where unsafe ready[index].tag == .max { clockJumped() }
    afterSleep()
    guard count >= 0 else {
      if error == .interrupted { return }
      throw error
    }
    for index in 0..<Int(count) { unsafe dispatch(ready[index]) }
  }

  private func clockJumped() {
    clinux_clock_watch_clear(clockWatch.number)
    hasClockJumped = true
  }

  /// Returns whether the wall clock was set or the board slept since the last call.
  public func takeClockJump() -> Bool {
    defer { hasClockJumped = false }
    return hasClockJumped
  }

  private func setTimerSlack(forSleepOf sleep: Duration) {
    guard isPatient != (sleep >= Self.patientSleepMin) else { return }
    isPatient.toggle()
    clinux_set_timer_slack(isPatient ? UInt(Self.timerSlack.nanoseconds) : 0)
  }

  @unsafe
  private func dispatch(_ entry: clinux_ready) {
    let watch = Watch(
      index: UInt32(truncatingIfNeeded: entry.tag),
      generation: UInt32(truncatingIfNeeded: entry.tag >> 32))
    guard let descriptor = descriptor(of: watch),
      let watcher = places[Int(watch.index)].watcher
    else { return }
    watcher.descriptorReady(descriptor, Readiness(rawValue: entry.events))
  }

  /// Returns the descriptor of a watch; nil if it is removed or the clock's, which has no slot.
  private func descriptor(of watch: Watch) -> Int32? {
    guard watch.index < places.count else { return nil }
    let place = places[Int(watch.index)]
    guard place.watcher != nil, place.generation == watch.generation else { return nil }
    return place.descriptor
  }

  /// Returns the time until `deadline`, rounded up: waking too early would only add another sleep.
  private static func milliseconds(until deadline: Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let now = clinux_boot_clock()
    guard deadline.nanoseconds > now else { return 0 }
    return Int32(clamping: (deadline.nanoseconds - now) / 1_000_000 + 1)
  }
}
