public import Bytes
import HomeAssistant
import Sensing

/// What was measured and is not proven to be in Home Assistant, until it is.
///
/// Every reading and every fix is recorded here before it is sent. What a proof shows to have
/// arrived is released; where that comes soon, it was never written to the disk.
///
/// What is not proven, and what was replaced by something newer before it was sent, goes to Home
/// Assistant later with its own time: as events, a chunk each, and each released by the proof that
/// follows it. Fresh readings go with that proof, so they wait for one chunk at most.
public struct History: ~Copyable {
  private enum State {
    case resting
    /// Entries are taken for the next chunk, which may want the disk to be read.
    case gathering
    case ready
    /// It was sent, and is not proven.
    case underWay
  }

  private struct Taken {
    var entry: SpoolEntry
    let sensor: HistorySensor
    /// The clock of an entry on the disk.
    let clock: ClockOrigin?
  }

  /// What its own readings and fixes are called in Home Assistant.
  public struct Device: Sendable {
    /// The id that it registered with.
    public let id: [UInt8]
    public let name: [UInt8]

    public init(id: [UInt8], name: [UInt8]) {
      self.id = id
      self.name = name
    }
  }

  /// Performs `nextAction`, and is told so.
  public let spool: Spool
  /// The sensors whose readings these are.
  public let sensors: SensorTable
  let device: Device
  private var state = State.resting
  private var chunk = HistoryChunk()
  private var rateLimiter: HistoryRateLimiter
  /// Where the entries of the chunk end.
  private var chunkEnd: SpoolPosition
  /// What was taken and is the first of the next chunk.
  private var heldOver: Taken?
  /// Whether there may be entries that go as events: the backlog. All that is on the disk belongs
  /// to it.
  private var isBacklogged = false
  /// Place in memory before which entries belong to it.
  private var backlogEnd: UInt64
  /// Whether entries on the disk may be proven by the cycle under way, or by the next.
  private var isBatchWritten = false
  /// Whether what is left of earlier runs is known.
  private var isOpen = false
  private var clock = ClockMonitor()
  private let kernelStart: UInt64
  /// The receiver told the time since the clocks were read last.
  private var wasToldTime = false

  /// - Parameters:
  ///   - device: how Home Assistant's users know whose history it is.
  ///   - spool: where it is kept.
  ///   - sensors: those of this agent.
  ///   - bytesPerMinute: what events may take of the link, at least 1024; nil where they may take
  ///     all of it.
  ///   - kernelStart: which start of the kernel this is: what the same one left on the disk can be
  ///     put right.
  public init(
    _ device: Device, spool: Spool, of sensors: SensorTable = SensorTable(),
    bytesPerMinute: Int? = nil, kernelStart: UInt64 = 0
  ) {
    self.device = device
    self.kernelStart = kernelStart
    self.sensors = sensors
    chunkEnd = spool.position
    backlogEnd = spool.end.inMemory
    rateLimiter = HistoryRateLimiter(bytesPerMinute: bytesPerMinute)
    self.spool = spool
  }

  /// Whether the machine's clock is known to be right.
  public var isClockTrusted: Bool { clock.isTrusted }

  /// Readings and fixes that are not proven to be in Home Assistant; more where the disk lost some.
  /// While it is not known what earlier runs left, at least one is waited for.
  public var entryCount: Int {
    if spool.isOpening { return max(1, spool.entryCountInMemory) }
    return isBacklogged || isBatchWritten ? spool.entryCount : spool.entryCountInMemory
  }

  // MARK: What is measured

  mutating func record(_ reading: Reading) {
    spool.record(
      corrected(reading), of: sensors.uniqueID(of: reading.sensor), isTimeTrusted: clock.isTrusted)
  }

  /// A receiver's clock is right, unless the fix has no time of it or the network knows better.
  mutating func record(_ fix: Fix) {
    guard clock.believes(fix) else {
      var timed = fix
      timed.time = clock.time(of: fix) ?? fix.time
      return spool.record(timed, isTimeTrusted: clock.isTrusted)
    }
    learnTime(of: fix)
    spool.record(fix, isTimeTrusted: true)
  }

  /// It is not kept. Its time is a receiver's all the same.
  mutating func fixLeftOut(_ fix: Fix) { if clock.believes(fix) { learnTime(of: fix) } }

  private mutating func learnTime(of fix: Fix) {
    guard let step = clock.fixReported(fix) else { return }
    wasToldTime = true
    putRight(by: step)
  }

  /// The reading with its time by the best clock there is.
  func corrected(_ reading: Reading) -> Reading {
    Reading(sensor: reading.sensor, value: reading.value, time: corrected(reading.time))
  }

  /// What the best clock shows when the machine's shows this time.
  public func corrected(_ time: WallTime) -> WallTime { time + clock.ahead }

  /// What the best clock shows; nil before the clocks were read.
  func time(at instant: Instant) -> WallTime? { clock.time(at: instant) }

  /// Whether another clock set the kernel's, and keeps it right.
  var isClockSynchronized: Bool {
    get { clock.isSynchronized }
    set {
      clock.isSynchronized = newValue
      clockMoved()
    }
  }

  /// The clocks were read. Returns whether the time is another one since the last time: then
  /// `isClockSynchronized` is to be asked for anew, because a person may have set the wall clock.
  mutating func clockRead(_ instant: Instant, _ wallTime: WallTime) -> Bool {
    defer { wasToldTime = false }
    guard let step = clock.clockRead(instant, wallTime) else {
      if spool.clock == nil { clockMoved() }
      return wasToldTime
    }
    putRight(by: step)
    return true
  }

  /// What was recorded so far was recorded with a clock that was wrong by so much.
  private mutating func putRight(by step: Duration) {
    if state != .underWay {
      takeAgain()
      state = .resting
    }
    spool.correctTimesInMemory(by: step)
    // The one that was taken out of memory is a copy.
    if heldOver?.entry.sequence == nil { heldOver?.entry.correctTime(by: step) }
    clockMoved()
  }

  /// What is written from now on has its times of the clock as it goes now.
  private func clockMoved() {
    let origin = clock.time(at: Instant(nanoseconds: 0))
    spool.clock = origin.map { ClockOrigin(kernelStart: kernelStart, wallTime: $0) }
  }

  /// A cycle is due. What was to go as history in the one before and could not is written to the
  /// disk, where it is not there yet.
  mutating func cycleDue() {
    if state == .ready, isChunkFromMemory { batchClosed() }
  }

  /// A cycle begins, with everything that was recorded so far.
  mutating func cycleBegan() { spool.cycleBegan() }

  /// Whether something was recorded since the cycle began.
  var hasNews: Bool { spool.hasNews }

  /// What was recorded so far is not proven, and no proof is waited for.
  mutating func batchClosed() {
    writeBatch()
    extendBacklog(to: spool.end.inMemory)
  }

  /// What was recorded so far goes to the disk. A proof may still come for it.
  mutating func writeBatch() {
    // What waits for so long and is in memory only is written.
    if state != .gathering, isChunkFromMemory { releaseMemory() }
    spool.batchClosed()
    isBatchWritten = true
  }

  /// All that is in memory goes to the disk now, also where that failed a moment ago.
  mutating func keepEverything() {
    releaseMemory()
    spool.retryDisk()
    spool.batchClosed()
    isBatchWritten = true
  }

  /// What the chunk has from memory may be written. What is under way may come twice then.
  private mutating func releaseMemory() {
    if state == .underWay {
      spool.rewindMemory()
      if heldOver?.entry.sequence == nil { heldOver = nil }
    } else if state != .resting {
      takeAgain()
      state = .gathering
    }
  }

  /// Whether entries of the chunk are not on the disk.
  private var isChunkFromMemory: Bool { chunkEnd.inMemory > spool.start.inMemory }

  /// The cycle is proven: Home Assistant has what was recorded before it was sent, unless it
  /// `isIncomplete`. Then something was replaced before it was sent, and that may have been
  /// recorded since.
  mutating func proven(isIncomplete: Bool) {
    let mark = spool.mark
    // What is behind the mark is proven by the next cycle.
    isBatchWritten = isBatchWritten && mark.sequence < spool.end.sequence
    if isIncomplete { extendBacklog(to: spool.end.inMemory) } else { release(upTo: mark) }
    // What earlier runs left is gathered once it is known.
    if isBacklogged || spool.isOpening, state == .resting { state = .gathering }
  }

  /// Acknowledges what is before the mark. Where there is a backlog, it waits for the proofs of its
  /// own events: only entries in memory are acknowledged, once none of those belongs to it.
  private mutating func release(upTo mark: SpoolPosition) {
    let start = spool.start
    guard isBacklogged else { return spool.acknowledged(upTo: mark) }
    guard start.inMemory >= backlogEnd else { return }
    spool.acknowledged(
      upTo: SpoolPosition(sequence: start.sequence, inMemory: mark.inMemory))
  }

  /// What is on the disk, and in memory before the place, goes as events.
  private mutating func extendBacklog(to place: UInt64) {
    backlogEnd = max(backlogEnd, place)
    let start = spool.start
    isBacklogged = start.sequence < spool.end.sequence || start.inMemory < backlogEnd
  }

  // MARK: The disk

  /// What is to be done on the disk; it is told to the `spool`.
  mutating func nextAction() -> Spool.Action? {
    // Before anything of this run gets a number.
    if spool.isOpen, !isOpen { opened() }
    if let action = spool.nextAction() { return action }
    // What has to be read for the chunk may be put off until the next wake-up.
    return state == .gathering && gather() ? spool.nextAction() : nil
  }

  /// What is there was left by earlier runs.
  private mutating func opened() {
    isOpen = true
    extendBacklog(to: backlogEnd)
  }

  /// Returns whether the disk has to be asked before the chunk is done.
  private mutating func gather() -> Bool {
    if let held = heldOver {
      heldOver = nil
      _ = append(held)
      chunkEnd = spool.position
    }
    while true {
      let end = spool.position
      guard let entry = spool.take(upTo: backlogEnd) else { break }
      let taken = Taken(
        entry: entry, sensor: sensor(spool.uniqueID(of: entry)), clock: spool.clock(of: entry))
      guard append(taken) else {
        heldOver = taken
        chunkEnd = end
        state = .ready
        return false
      }
      chunkEnd = spool.position
    }
    if spool.isReading { return true }
    isBacklogged = !chunk.isEmpty || spool.isReadPostponed
    state = chunk.isEmpty ? .resting : .ready
    return false
  }

  private mutating func append(_ taken: Taken) -> Bool {
    chunk.append(corrected(taken), of: taken.sensor, byteCountMax: rateLimiter.byteCount)
  }

  /// The entry with its time put right. Of another start of the kernel, whose clock is gone, it
  /// stays as it is, and is not known to be right.
  private func corrected(_ taken: Taken) -> SpoolEntry {
    var entry = taken.entry
    guard !entry.isTimeTrusted else { return entry }
    // What has no number is in memory, where it was put right already.
    if entry.sequence != nil {
      guard let former = taken.clock, let present = spool.clock,
        former.kernelStart == present.kernelStart
      else { return entry }
      entry.correctTime(by: present.wallTime - former.wallTime)
    }
    entry.isTimeTrusted = clock.isTrusted
    return entry
  }

  /// The sensor of an entry, which an earlier run may have recorded: this one may have it at
  /// another index, or not at all.
  private func sensor(_ uniqueID: [UInt8]) -> HistorySensor {
    let index = sensors.index(of: uniqueID.span)
    return HistorySensor(uniqueID: uniqueID, name: index.map { sensors[$0].name } ?? uniqueID)
  }

  // MARK: Chunks

  /// When `deadlineReached` or a chunk is due.
  var deadline: Instant? { earliest(spool.deadline, state == .ready ? rateLimiter.nextAt : nil) }

  mutating func deadlineReached(now: Instant) { spool.deadlineReached(now: now) }

  func isChunkDue(now: Instant) -> Bool { state == .ready && now >= rateLimiter.nextAt }

  mutating func chunkSent(now: Instant) {
    state = .underWay
    rateLimiter.sent(byteCount: Envelope.byteCount(sealing: chunk.byteCount), now: now)
  }

  func writeChunk(into data: inout ByteBuffer) {
    chunk.write(into: &data, deviceID: device.id, deviceName: device.name)
  }

  mutating func chunkAnswered(now: Instant) { rateLimiter.answered(now: now) }

  /// Returns how many entries Home Assistant has now.
  mutating func chunkProven() -> Int {
    guard state == .underWay else { return 0 }
    defer { chunk.removeAll() }
    spool.acknowledged(upTo: chunkEnd)
    rateLimiter.proven()
    state = .gathering
    return chunk.entryCount
  }

  /// No proof came, and everything is taken again after the next one.
  mutating func chunkFailed() {
    rateLimiter.failed()
    takeAgain()
    state = .resting
  }

  private mutating func takeAgain() {
    chunk.removeAll()
    heldOver = nil
    spool.rewind()
  }
}
