import ModelDisk
import Bytes
import Sensing

@testable import Outbox

extension DeviceFingerprint {
  static let boat = DeviceFingerprint(low: 0x0102_0304_0506_0708, high: 9)
  static let van = DeviceFingerprint(low: 0x0102_0304_0506_0709, high: 9)
}

/// A spool on a model disk, driven as the agent drives it.
final class SpoolRig {
  /// An entry, and which sensor it is of.
  struct Taken: Equatable {
    var sequence: UInt64?
    var time: Int64
    var isTimeTrusted: Bool
    var sensor: String
    var content: SpoolEntry.Content

    var number: Int64? {
      if case .reading(_, .number(let number)) = content { number.coefficient } else { nil }
    }
  }

  let disk: ModelDisk
  var spool: Spool
  var now = Instant(nanoseconds: 1_000_000_000)
  private(set) var actions: [Spool.Action] = []
  private(set) var bytesRead = 0
  private(set) var chunks = 0
  /// The error of an action, if it is to fail.
  var fault: (Spool.Action) -> Int32? = { _ in nil }
  /// Whether what fails was done all the same.
  var failsLate = false
  /// The most that all files together ever took.
  private(set) var peakByteCount = 0
  /// What the disk does in one turn of the agent's loop.
  struct WakeUp {
    var actionCount = 0
    /// Read and written.
    var byteCount = 0
  }

  private(set) var wakeUps: [WakeUp] = []
  /// Whether `settle` stays for what the spool puts off until the next wake-up.
  var isPatient = true
  /// The power goes after this many more actions.
  var actionsLeft = Int.max
  var isOff: Bool { actionsLeft == 0 }

  init(
    _ disk: ModelDisk = ModelDisk(), device: DeviceFingerprint = .boat,
    durability: Durability = .batch, cap: Int = Spool.byteCountCap,
    segment: Int = Spool.segmentByteCount, slice: Int = Spool.sliceByteCount, opens: Bool = true
  ) {
    self.disk = disk
    spool = Spool(
      device: device, durability: durability, byteCountCap: cap,
      segmentByteCount: segment, sliceByteCount: slice, seed: 1)
    if opens { settle() }
  }

  // MARK: What the agent does

  /// Does all that the spool wants, in as many wake-ups as it wants.
  func settle() {
    wakeUp()
    while isPatient, !isOff, isPaused {
      spool.deadlineReached(now: now)
      wakeUp()
    }
  }

  /// Whether the spool has put work off until the next wake-up.
  var isPaused: Bool { spool.deadline.map { $0 <= now } ?? false }

  private func wakeUp() {
    wakeUps.append(WakeUp())
    while !isOff, let action = spool.nextAction() {
      actionsLeft -= 1
      actions.append(action)
      count(action)
      if let code = fault(action) {
        if failsLate { try? perform(action) }
        spool.failed(DiskFailure(code: code), now: now)
        continue
      }
      do throws(ModelDisk.Failure) {
        try perform(action)
        peakByteCount = max(peakByteCount, disk.occupiedByteCount)
      } catch {
        if !isOff { spool.failed(DiskFailure(code: error.code), now: now) }
        continue
      }
      if !isOff { spool.performed(now: now) }
    }
  }

  private func count(_ action: Spool.Action) {
    wakeUps[wakeUps.count - 1].actionCount += 1
    switch action {
    case .read(_, _, let byteCountMax): wakeUps[wakeUps.count - 1].byteCount += byteCountMax
    case .append: wakeUps[wakeUps.count - 1].byteCount += spool.withOutgoing { $0.count }
    default: break
    }
  }

  private func perform(_ action: Spool.Action) throws(ModelDisk.Failure) {
    if case .read(let file, let offset, let byteCountMax) = action,
      let bytes = disk.files[file.text]
    {
      chunks += 1
      bytesRead += bytes.dropFirst(offset).prefix(byteCountMax).count
    }
    try disk.perform(action, for: spool)
  }

  func forgetActions() {
    actions = []
    wakeUps = []
    bytesRead = 0
    chunks = 0
  }

  func sleepUntilDeadline() {
    if let deadline = spool.deadline { now = max(now, deadline) }
    spool.deadlineReached(now: now)
    settle()
  }

  func record(_ sensor: Int, _ value: Value, at time: Int64 = 0, isTimeTrusted: Bool = true) {
    let reading = Reading(
      sensor: SensorIndex(sensor), value: value, time: WallTime(nanoseconds: time))
    spool.record(reading, of: [UInt8]("sensor\(sensor)".utf8), isTimeTrusted: isTimeTrusted)
  }

  func record(_ number: Int64, sensor: Int = 0) {
    record(sensor, .number(FixedPoint(number)), at: number)
  }

  func closeBatch() {
    spool.batchClosed()
    settle()
  }

  func keep(_ numbers: some Sequence<Int64>) {
    for number in numbers { record(number) }
    closeBatch()
  }

  /// The next entry, with what has to be read for it.
  func take() -> Taken? {
    while !isOff {
      if let entry = spool.take() {
        return Taken(
          sequence: entry.sequence, time: entry.time.nanoseconds,
          isTimeTrusted: entry.isTimeTrusted,
          sensor: String(decoding: spool.uniqueID(of: entry), as: UTF8.self),
          content: entry.content)
      }
      guard spool.isReading else { return nil }
      settle()
    }
    return nil
  }

  func takeAll() -> [Taken] {
    var all: [Taken] = []
    while let entry = take() { all.append(entry) }
    return all
  }

  func acknowledge() {
    spool.acknowledged(upTo: spool.position)
    settle()
  }

  // MARK: What a test looks at

  var losses: Spool.Losses { spool.losses }
  var failure: DiskFailure? { spool.failure }
  var deadline: Instant? { spool.deadline }
  var inMemory: Int { spool.entryCountInMemory }
  var occupied: Int { spool.log.occupiedByteCount }
  var isEmpty: Bool { spool.isEmpty }

  /// A spool on what is on the disk now.
  func restarted(device: DeviceFingerprint = .boat, opens: Bool = true) -> SpoolRig {
    SpoolRig(disk.copy(), device: device, opens: opens)
  }
}

extension SegmentFile {
  var text: String { String(decoding: name, as: UTF8.self) }
}

extension [SpoolRig.Taken] {
  var numbers: [Int64] { compactMap { $0.number } }
}

/// The same segment as a later version of the agent would begin it.
func newerVersion(of file: [UInt8]) -> [UInt8] { changed(file, 2, at: 4) }

/// The same segment with another byte in its header.
func changed(_ file: [UInt8], _ byte: UInt8, at place: Int) -> [UInt8] {
  var changed = file
  changed[place] = byte
  var checksum = CRC32C()
  checksum.update(changed.span.extracting(0..<SegmentHeader.byteCount - 4))
  return changed[..<(SegmentHeader.byteCount - 4)] + checksum.value.bytesInFile
    + changed[SegmentHeader.byteCount...]
}

extension ModelDisk {
  /// Does what a spool wants.
  func perform(_ action: Spool.Action, for spool: Spool) throws(Failure) {
    switch action {
    case .list:
      for (name, bytes) in files {
        let name = [UInt8](name.utf8)
        spool.fileFound(name: name.span, byteCount: bytes.count)
      }
    case .read(let file, let offset, let byteCountMax):
      let chunk = try read(file.text).dropFirst(offset).prefix(byteCountMax)
      spool.fill { free in
        for (place, byte) in chunk.enumerated() { free[place] = byte }
        return chunk.count
      }
    case .create(let file): try create(file.text)
    case .append(let file): try append(spool.withOutgoing { [UInt8]($0) }, to: file.text)
    case .synchronize(let file): try synchronize(file.text)
    case .synchronizeDirectory: try synchronizeDirectory()
    case .truncate(let file, let byteCount): try truncate(file.text, to: byteCount)
    case .delete(let file): try delete(file.text)
    case .setAside(let old, let new):
      if files[old.text] != nil { try rename(old.text, to: new.text, mayReplace: false) }
      try synchronizeDirectory()
    }
  }

  /// Another disk with the same on it.
  func copy() -> ModelDisk {
    let copy = ModelDisk()
    copy.files = files
    return copy
  }
}
