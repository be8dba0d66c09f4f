public import Bytes
import CLinux

/// Who is told that a descriptor is ready. One call per turn of the loop, so a watcher does a
/// bounded piece of work and comes back.
public protocol Watcher: AnyObject {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness)
}

/// What a descriptor is ready for, or is asked to be.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let input = Readiness(rawValue: EPOLLIN.rawValue)
  public static let output = Readiness(rawValue: EPOLLOUT.rawValue)
  /// An error or a hang-up; reported whether asked for or not.
  public static let failure = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
}

/// A registration in an `EventLoop`; it names one place and one use of it.
public struct Watch: Equatable, Sendable {
  fileprivate let index: UInt32
  fileprivate let generation: UInt32

  fileprivate var tag: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

/// One epoll instance: who watches which descriptor.
///
/// The tag in the kernel's hands holds a generation beside the place, so that an event which was
/// already on its way never reaches the next user of a descriptor number.
@safe public final class EventLoop {
  /// Descriptors that can be watched at one time.
  public static let watchesMax = 128
  /// A sleep that may take so long may end `timerSlack` late, together with what else wakes the
  /// board (`PR_SET_TIMERSLACK` of prctl(2)). For a shorter one, a line or a person waits.
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
  /// Ready when the wall clock was set, or the board slept: a turn ends then, because its deadline
  /// may be past.
  private let clockWatch: Descriptor
  /// Whether one of them happened, since this was last taken.
  private var hasClockJumped = false
  /// Whether the kernel was told of `timerSlack`.
  private var isPatient = false

  public convenience init() throws(Errno) {
    try self.init(clockWatch: Descriptor(owning: try retryingInterrupts { clinux_clock_watch() }))
  }

  /// A loop that is woken when `clockWatch` is ready for input, for then the clock jumped.
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

  /// Tells `watcher` whenever `descriptor` is ready, and keeps it alive until `stop`. The
  /// descriptor stays its owner's, who calls `stop` before closing it.
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

  /// Forgets a watch; one that is already forgotten is left alone.
  public func stop(_ watch: Watch) {
    guard let descriptor = descriptor(of: watch) else { return }
    // A descriptor that is closed already has left the epoll set by itself.
    _ = clinux_epoll_remove(epoll.number, descriptor)
    places[Int(watch.index)].watcher = nil
  }

  /// Sleeps until a descriptor is ready or `deadline` has come, calls `afterSleep`, and then tells
  /// the watchers.
  public func turn(until deadline: Instant?, afterSleep: () -> Void = {}) throws(Errno) {
    let milliseconds = Self.milliseconds(until: deadline)
    if milliseconds > 0 { setTimerSlack(forSleepOf: .milliseconds(Int64(milliseconds))) }
    let count = unsafe clinux_epoll_wait(epoll.number, ready, milliseconds)
    // What `afterSleep` calls may change it.
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

  /// Whether the wall clock was set, or the board slept, since this was asked last.
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

  /// Nil also for the clock's watch, which has no place.
  private func descriptor(of watch: Watch) -> Int32? {
    guard watch.index < places.count else { return nil }
    let place = places[Int(watch.index)]
    guard place.watcher != nil, place.generation == watch.generation else { return nil }
    return place.descriptor
  }

  /// Rounded up: waking a moment too early would only mean to sleep again.
  private static func milliseconds(until deadline: Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let nanoseconds = (deadline - Moment.now.instant).nanoseconds
    guard nanoseconds > 0 else { return 0 }
    return Int32(clamping: nanoseconds / 1_000_000 + 1)
  }
}
