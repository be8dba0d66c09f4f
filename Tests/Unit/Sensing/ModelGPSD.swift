import Bytes
import Sensing

/// A gpsd with a receiver, the kernel's buffers, a link and a driver, in virtual time. What does
/// not fit the buffers gpsd leaves out, line by line, as it does.
final class ModelGPSD {
  struct Receiver {
    var period: Duration = .seconds(1)
    /// What it says beside its TPV, each time.
    var skyByteCount = 1000
    /// How long it works on a fix.
    var latency: Duration = .milliseconds(100)
  }

  private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
  /// How old each fix was when it was taken.
  private(set) var ages: [Duration] = []
  private(set) var cycleCount = 0
  private(set) var wakeUpCount = 0
  private(set) var failures: [SourceFailure] = []

  private let receiver: Receiver
  private let cycle: Duration
  private let linkBytesPerSecond: Int
  private let sendCapacity: Int
  /// What a socket of Linux holds by default, without its own records.
  private static let receiveCapacity = 64 * 1024

  private var session: GPSDSession
  private var queue: [UInt8] = []
  private var queueStart = 0
  private var arrivedCount = 0
  private var isWatched = false
  private var isListening = false
  private var nextCycleAt: Instant
  private var retryAt: Instant?
  /// Whether the agent is stopped, as by a suspended machine.
  var isAsleep = false

  init(
    _ receiver: Receiver, cycle: Duration, linkBytesPerSecond: Int = 100_000_000,
    sendCapacity: Int = 2_500_000
  ) {
    self.receiver = receiver
    self.cycle = cycle
    self.linkBytesPerSecond = linkBytesPerSecond
    self.sendCapacity = sendCapacity
    nextCycleAt = now
    let libgps = LibGPSStandIn()
    session = GPSDSession(
      name: InlineText("gpsd"), cycle: cycle, fixTimeout: .seconds(20), now: now
    ) { libgps.parse($0, into: &$1) }
  }

  func play(_ duration: Duration) {
    let end = now + duration
    while now < end {
      now = now + receiver.period
      report()
      let carried = Int(Int64(linkBytesPerSecond) * receiver.period.nanoseconds / 1_000_000_000)
      arrivedCount = min(
        queue.count - queueStart, min(arrivedCount + carried, Self.receiveCapacity))
      if !isAsleep { wake() }
    }
  }

  private func wake() {
    if isListening, arrivedCount > 0 {
      wakeUpCount += 1
      drain()
    }
    if let deadline = session.deadline, now >= deadline {
      perform(session.deadlineReached(now: now))
    }
    if let retryAt, now >= retryAt {
      self.retryAt = nil
      perform(session.cycleDue(now: now))
    }
    guard now >= nextCycleAt else { return }
    wakeUpCount += 1
    cycleCount += 1
    nextCycleAt = now + cycle
    if retryAt == nil { perform(session.cycleDue(now: now)) }
  }

  // MARK: gpsd

  private func report() {
    guard isWatched else { return }
    var rest = receiver.skyByteCount
    while rest > 0 {
      let count = min(rest, 12_000)
      write(#"{"class":"SKY","x":""# + String(repeating: "x", count: count - 22) + "\"}\n")
      rest -= count
    }
    var time = ByteBuffer(capacity: 40)
    time.append(iso8601: wallTime - receiver.latency)
    let text = String(decoding: [UInt8](time.bytes), as: UTF8.self)
    write(
      #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"\#(text)","lat":51.5,"lon":-0.1}"#
        + "\n")
  }

  private func write(_ line: String) {
    if queueStart > 1_000_000 {
      queue.removeFirst(queueStart)
      queueStart = 0
    }
    guard queue.count - queueStart + line.utf8.count <= sendCapacity + Self.receiveCapacity else {
      return
    }
    queue += line.utf8
  }

  /// Both clocks are right.
  private var wallTime: WallTime {
    WallTime.released + .seconds(86_400) + (now - Instant(nanoseconds: 0))
  }

  // MARK: The driver

  private func perform(_ action: GPSDSession.Action?) {
    deliver()
    switch action {
    case nil: return
    case .connect:
      (queue, queueStart, arrivedCount) = ([], 0, 0)
      session.connected(now: now)
      isListening = true
      write(GPSDLines.version)
      arrivedCount = queue.count
      drain()
    case .drain: drain()
    case .askForReports: (isListening, isWatched) = (true, true)
    case .askForQuiet: (isListening, isWatched) = (false, false)
    case .stopListening: isListening = false
    case .release: (isListening, isWatched) = (false, false)
    case .fail(let failure):
      failures.append(failure)
      (isListening, isWatched) = (false, false)
      retryAt = now + .seconds(5)
    }
  }

  private func deliver() {
    guard let fix = session.takeFix() else { return }
    ages.append(wallTime - fix.time)
  }

  private func drain() {
    while session.isConnected {
      let count = min(session.input.buffer.freeCapacity, arrivedCount)
      guard count > 0 else { return perform(session.drained(now: now)) }
      session.input.buffer.append(Array(queue[queueStart..<queueStart + count]))
      queueStart += count
      arrivedCount -= count
      // The window opens, and what waits at the other side comes.
      if linkBytesPerSecond >= 100_000_000 {
        arrivedCount = min(queue.count - queueStart, Self.receiveCapacity)
      }
      perform(session.bytesReceived(now: now, wallTime: wallTime))
    }
  }
}
