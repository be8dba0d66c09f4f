public import Bytes
import HomeAssistant
import Sensing

/// Measured entries until they are proven to be in Home Assistant.
///
/// Every reading and every fix is recorded here before it is sent. A proof releases the delivered
/// entries; if it comes soon, they are never written to the disk.
///
/// Entries that are not proven, and entries that were replaced before they were sent, are sent
/// later with their own time: as events, one chunk each, released by the following proof. Fresh
/// readings are sent with that proof, so they wait for at most one chunk.
public struct History: ~Copyable {
  private enum State {
    case resting
    /// Entries are collected for the next chunk; the disk may have to be read.
    case gathering
    case ready
    /// The chunk was sent, and is not proven.
    case underWay
  }

  private struct Taken {
    var entry: SpoolEntry
    let sensor: HistorySensor
    /// Clock of an entry on the disk.
    let clock: ClockOrigin?
  }

  /// Identity of this device in Home Assistant.
  public struct Device: Sendable {
    /// Id with which the device registered.
    public let id: [UInt8]
    public let name: [UInt8]

    public init(id: [UInt8], name: [UInt8]) {
      self.id = id
      self.name = name
    }
  }

  /// Spool, which expects its owner to perform `nextAction` and report the result.
  public let spool: Spool
  public let sensors: SensorTable
  let device: Device
  private var state = State.resting
  private var chunk = HistoryChunk()
  private var rateLimiter: HistoryRateLimiter
  private var chunkEnd: SpoolPosition
  /// Entry that was taken and belongs to the next chunk.
  private var heldOver: Taken?
  /// Whether there may be entries to send as events: the backlog. It includes everything on the
  /// disk.
  private var isBacklogged = false
  /// Position in memory up to which entries belong to the backlog.
  private var backlogEnd: UInt64
  /// Whether the present cycle or the next one may prove entries on the disk.
  private var isBatchWritten = false
  /// Whether the entries of earlier runs are known.
  private var isOpen = false
  private var clock = ClockMonitor()
  /// Number of this start of the kernel: times on the disk can be corrected only within one start.
  private let kernelStart: UInt64
  /// Whether the receiver changed the time since the last `clockRead`.
  private var wasToldTime = false

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

  /// Number of entries that are not proven to be in Home Assistant; too large if the disk lost
  /// some. While the entries of earlier runs are unknown, at least one.
  public var entryCount: Int {
    if spool.isOpening { return max(1, spool.entryCountInMemory) }
    return isBacklogged || isBatchWritten ? spool.entryCount : spool.entryCountInMemory
  }

  // MARK: Recording

  mutating func record(_ reading: Reading) {
    spool.record(
      corrected(reading), of: sensors.uniqueID(of: reading.sensor), isTimeTrusted: clock.isTrusted)
  }

  /// Records a fix. A receiver's time is right, unless the fix has none or the network's differs.
  mutating func record(_ fix: Fix) {
    guard clock.believes(fix) else {
      var timed = fix
      timed.time = clock.time(of: fix) ?? fix.time
      return spool.record(timed, isTimeTrusted: clock.isTrusted)
    }
    learnTime(of: fix)
    spool.record(fix, isTimeTrusted: true)
  }

  /// Uses only the time of a fix that is not stored.
  mutating func fixLeftOut(_ fix: Fix) { if clock.believes(fix) { learnTime(of: fix) } }

  private mutating func learnTime(of fix: Fix) {
    guard let step = clock.fixReported(fix) else { return }
    wasToldTime = true
    putRight(by: step)
  }

  /// Returns the reading with its time by the best clock.
  func corrected(_ reading: Reading) -> Reading {
    Reading(sensor: reading.sensor, value: reading.value, time: corrected(reading.time))
  }

  /// Returns the best clock's time for a time of the machine's clock.
  public func corrected(_ time: WallTime) -> WallTime { time + clock.ahead }

  /// Returns the best clock's time; nil before the first `clockRead`.
  func time(at instant: Instant) -> WallTime? { clock.time(at: instant) }

  /// Whether another clock has set the kernel's, and keeps it right.
  var isClockSynchronized: Bool {
    get { clock.isSynchronized }
    set {
      clock.isSynchronized = newValue
      clockMoved()
    }
  }

  /// Compares both clocks. Returns whether the time changed since the last call: the caller must
  /// then update `isClockSynchronized`, because a person may have set the wall clock.
  mutating func clockRead(_ instant: Instant, _ wallTime: WallTime) -> Bool {
    defer { wasToldTime = false }
    guard let step = clock.clockRead(instant, wallTime) else {
      if spool.clock == nil { clockMoved() }
      return wasToldTime
    }
    putRight(by: step)
    return true
  }

  /// Corrects the recorded times, which a wrong clock gave, by `step`.
  private mutating func putRight(by step: Duration) {
    if state != .underWay {
      takeAgain()
      state = .resting
    }
    spool.memory.correctTimes(by: step)
    // An entry taken from memory is a copy.
    if heldOver?.entry.sequence == nil { heldOver?.entry.correctTime(by: step) }
    clockMoved()
  }

  /// Sets the clock for the times of entries that are written from now on.
  private func clockMoved() {
    let origin = clock.time(at: Instant(nanoseconds: 0))
    spool.clock = origin.map { ClockOrigin(kernelStart: kernelStart, wallTime: $0) }
  }

  /// Handles a due cycle: writes a chunk that the cycle before could not send to the disk, unless
  /// it is already there.
  mutating func cycleDue() {
    if state == .ready, isChunkFromMemory { batchClosed() }
  }

  /// Ends the wait for a proof of the entries recorded so far.
  mutating func batchClosed() {
    writeBatch()
    extendBacklog(to: spool.end.inMemory)
  }

  /// Writes the entries recorded so far to the disk. A proof for them may still come.
  mutating func writeBatch() {
    // Entries that wait this long and exist only in memory are written.
    if state != .gathering, isChunkFromMemory { releaseMemory() }
    spool.batchClosed()
    isBatchWritten = true
  }

  /// Writes all entries in memory to the disk now, even after a recent failure.
  mutating func keepEverything() {
    releaseMemory()
    spool.retryDisk()
    writeBatch()
  }

  /// Releases the chunk's entries in memory for writing. A chunk in transit may then arrive twice.
  private mutating func releaseMemory() {
    if state == .underWay {
      spool.memory.rewind()
      if heldOver?.entry.sequence == nil { heldOver = nil }
    } else if state != .resting {
      takeAgain()
      state = .gathering
    }
  }

  /// Whether the chunk contains entries that are not on the disk.
  private var isChunkFromMemory: Bool { chunkEnd.inMemory > spool.start.inMemory }

  /// Handles the proof of a cycle: Home Assistant has the entries recorded before it, unless the
  /// cycle `isIncomplete`. In that case an entry was replaced before it was sent, possibly one
  /// recorded since the beginning of the cycle.
  mutating func proven(isIncomplete: Bool) {
    let mark = spool.mark
    // The next cycle proves the entries after the mark.
    isBatchWritten = isBatchWritten && mark.sequence < spool.end.sequence
    if isIncomplete { extendBacklog(to: spool.end.inMemory) } else { release(upTo: mark) }
    // The entries of earlier runs are collected once they are known.
    if isBacklogged || spool.isOpening, state == .resting { state = .gathering }
  }

  /// Acknowledges the entries before the mark. A backlog waits for the proofs of its events: then
  /// only entries in memory are acknowledged, if none of them belongs to it.
  private mutating func release(upTo mark: SpoolPosition) {
    let start = spool.start
    guard isBacklogged else { return spool.acknowledged(upTo: mark) }
    guard start.inMemory >= backlogEnd else { return }
    spool.acknowledged(
      upTo: SpoolPosition(sequence: start.sequence, inMemory: mark.inMemory))
  }

  /// Extends the backlog to everything on the disk, and to the entries in memory before `place`.
  private mutating func extendBacklog(to place: UInt64) {
    backlogEnd = max(backlogEnd, place)
    let start = spool.start
    isBacklogged = start.sequence < spool.end.sequence || start.inMemory < backlogEnd
  }

  // MARK: Disk

  /// Returns the next action on the disk; its result must be reported to the `spool`.
  mutating func nextAction() -> Spool.Action? {
    // Before an entry of this run gets a number.
    if spool.isOpen, !isOpen { opened() }
    if let action = spool.nextAction() { return action }
    // Reading for the chunk may wait for the next wake-up.
    return state == .gathering && gather() ? spool.nextAction() : nil
  }

  /// Adds the entries of earlier runs to the backlog.
  private mutating func opened() {
    isOpen = true
    extendBacklog(to: backlogEnd)
  }

  /// Collects entries for the chunk. Returns whether the disk must be read first.
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

  /// Returns the entry with its corrected time. An entry of another start of the kernel, whose
  /// clock is lost, stays unchanged and untrusted.
  private func corrected(_ taken: Taken) -> SpoolEntry {
    var entry = taken.entry
    guard !entry.isTimeTrusted else { return entry }
    // An entry without a number is in memory and already corrected.
    if entry.sequence != nil {
      guard let former = taken.clock, let present = spool.clock,
        former.kernelStart == present.kernelStart
      else { return entry }
      entry.correctTime(by: present.wallTime - former.wallTime)
    }
    entry.isTimeTrusted = clock.isTrusted
    return entry
  }

  /// Returns the sensor of an entry. If an earlier run recorded it, this run may have it at another
  /// index or not at all.
  private func sensor(_ uniqueID: [UInt8]) -> HistorySensor {
    let index = sensors.index(of: uniqueID.span)
    return HistorySensor(uniqueID: uniqueID, name: index.map { sensors[$0].name } ?? uniqueID)
  }

  // MARK: Chunks

  /// Time at which `deadlineReached` or a chunk is due.
  var deadline: Instant? { earliest(spool.deadline, state == .ready ? rateLimiter.nextAt : nil) }

  func isChunkDue(now: Instant) -> Bool { state == .ready && now >= rateLimiter.nextAt }

  mutating func chunkSent(now: Instant) {
    state = .underWay
    rateLimiter.sent(byteCount: Envelope.byteCount(sealing: chunk.byteCount), now: now)
  }

  func writeChunk(into data: inout ByteBuffer) {
    chunk.write(into: &data, of: device)
  }

  mutating func chunkAnswered(now: Instant) { rateLimiter.answered(now: now) }

  /// Handles the proof of the chunk. Returns the number of delivered entries.
  mutating func chunkProven() -> Int {
    guard state == .underWay else { return 0 }
    defer { chunk.removeAll() }
    spool.acknowledged(upTo: chunkEnd)
    rateLimiter.proven()
    state = .gathering
    return chunk.entryCount
  }

  /// Handles a missing proof: all entries are taken again after the next one.
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

extension ByteBuffer {
  /// Appends the data of a `fire_event`, with the device and `appendMembers` as the event's own.
  mutating func appendEvent(
    _ type: StaticString, of device: History.Device, _ appendMembers: (inout ByteBuffer) -> Void
  ) {
    openJSONObject()
    appendMember("event_type", type)
    appendJSON(key: "event_data")
    openJSONObject()
    appendMember("device_id", device.id.span)
    appendMember("device", device.name.span)
    appendMembers(&self)
    closeJSONObject()
    closeJSONObject()
  }
}
