import Bytes
import Sensing

@testable import Outbox

/// Any segment on a disk: what is read of it is in order and each number comes once, whatever is
/// added is read again behind it, and nothing of it is a trap.
///
/// The header, the salt and the checksums are ours, so that the inputs get past them: the input is
/// a list of a kind, a length and the bytes of a body, and one odd kind each stands for bytes as
/// they are.
func fuzz(_ input: Span<UInt8>) {
  var disk = FuzzDisk(segment(input))
  let former = disk.open()
  let first = takeAll(former, &disk)
  expect("numbers rise", zip(first, first.dropFirst()).allSatisfy { $0 < $1 })
  former.rewind()
  expect("what is not acknowledged is taken again", takeAll(former, &disk) == first)

  // No agent gets near the end of the numbers without a made-up record.
  guard former.end.sequence < SpoolRecord.firstSequenceMax else { return }
  former.record(
    Reading(sensor: SensorIndex(7), value: .unknown, time: WallTime(nanoseconds: 0)),
    of: [1], isTimeTrusted: false)
  former.batchClosed()
  disk.settle(former)
  let later = disk.open()
  let second = takeAll(later, &disk)
  expect("one more is there", second.count == first.count + 1)
  expect("what was there stays", Array(second.dropLast()) == first)
  if let last = second.last { expect("its number is new", !first.contains(last)) }

  later.acknowledged(upTo: later.position)
  later.rewind()
  expect("what is acknowledged does not come again", takeAll(later, &disk).isEmpty)
  disk.settle(later)
  let last = disk.open()
  expect("nor after a start", takeAll(last, &disk).isEmpty)
}

private let device = DeviceFingerprint(low: 1, high: 2)

private func segment(_ input: Span<UInt8>) -> [UInt8] {
  let salt = SegmentSalt(first: 1, device: device)
  var buffer = ByteBuffer(capacity: input.count * 8 + 64)
  SegmentHeader(first: 1, acknowledged: 0, device: device).write(into: &buffer)
  var place = 0
  while input.count - place >= 2 {
    let kind = input[place]
    let byteCount = min(Int(input[place + 1]), input.count - place - 2)
    let body = input.extracting(place + 2..<place + 2 + byteCount)
    place += 2 + byteCount
    guard kind & 0x80 == 0 else {
      buffer.append(body)
      continue
    }
    let start = buffer.count
    buffer.append(SpoolRecord.start)
    buffer.append(UInt8(byteCount))
    buffer.append(kind % 6)
    buffer.append(body)
    var checksum = salt.checksum
    checksum.update(buffer.bytes.extracting(start + 1..<buffer.count))
    buffer.append(littleEndian: checksum.value)
  }
  return [UInt8](buffer.bytes)
}

private func takeAll(_ spool: Spool, _ disk: inout FuzzDisk) -> [UInt64] {
  var numbers: [UInt64] = []
  while true {
    if let entry = spool.take() {
      if let sequence = entry.sequence { numbers.append(sequence) }
    } else if spool.isReading {
      disk.settle(spool)
    } else {
      return numbers
    }
  }
}

/// Files in memory, which do what they are told.
private struct FuzzDisk {
  private var files: [[UInt8]: [UInt8]]

  init(_ file: [UInt8]) { files = [SegmentFile(first: 1).name: file] }

  mutating func open() -> Spool {
    let spool = Spool(device: device, seed: 1)
    settle(spool)
    return spool
  }

  mutating func settle(_ spool: Spool) {
    repeat {
      spool.deadlineReached(now: Instant(nanoseconds: 0))
      while let action = spool.nextAction() {
        perform(action, spool)
        spool.performed(now: Instant(nanoseconds: 0))
      }
    } while spool.deadline != nil
  }

  private mutating func perform(_ action: Spool.Action, _ spool: Spool) {
    switch action {
    case .list:
      for (name, bytes) in files { spool.fileFound(name: name.span, byteCount: bytes.count) }
    case .read(let file, let offset, let byteCountMax):
      let chunk = files[file.name, default: []].dropFirst(offset).prefix(byteCountMax)
      spool.fill { free in
        for (place, byte) in chunk.enumerated() { free[place] = byte }
        return chunk.count
      }
    case .create(let file): files[file.name] = []
    case .append(let file): files[file.name, default: []] += spool.withOutgoing { [UInt8]($0) }
    case .truncate(let file, let byteCount):
      files[file.name] = Array(files[file.name, default: []].prefix(byteCount))
    case .delete(let file): files[file.name] = nil
    case .setAside(let old, let new):
      files[new.name] = files.removeValue(forKey: old.name)
    case .synchronize, .synchronizeDirectory: break
    }
  }

}
