import Bytes

@testable import Sensing

/// Any file of the anchor watch, and what a boat may do after a start with it: what is read is
/// written alike, and the watch is never in two minds.
///
/// The input is the body of a file, behind a head and before a checksum that are ours, so that the
/// inputs get past them; then what happens, four bytes each: what it is, how far to the north and
/// to the east in 10 m, and the seconds that passed.
func fuzz(_ input: Span<UInt8>) {
  _ = try? KeptAnchor(file: input)
  let bodyByteCount = KeptAnchor.fileByteCount - 10
  guard input.count >= bodyByteCount else { return }
  guard let kept = try? KeptAnchor(file: file(input.extracting(..<bodyByteCount)).span) else {
    return
  }
  expectReadAgain(kept)
  watch(kept, input.extracting(bodyByteCount...))
}

private func file(_ body: Span<UInt8>) -> [UInt8] {
  var buffer = ByteBuffer(capacity: KeptAnchor.fileByteCount)
  buffer.append("HWAN")
  buffer.append(native: UInt16(1).littleEndian)
  buffer.append(body)
  var checksum = CRC32C()
  checksum.update(buffer.bytes)
  buffer.append(native: checksum.value.littleEndian)
  return [UInt8](buffer.bytes)
}

private func expectReadAgain(_ kept: KeptAnchor) {
  let written = kept.file
  expect("a file has its size", written.bytes.count == KeptAnchor.fileByteCount)
  expect("what was written is read again alike", (try? KeptAnchor(file: written.bytes)) == kept)
}

private func watch(_ kept: KeptAnchor, _ events: Span<UInt8>) {
  var now = Instant(nanoseconds: 0)
  var monitor = AnchorMonitor(radiusMeters: 40, cycle: .seconds(10), now: now)
  monitor.restored(kept, now: now)
  var place = 0
  while events.count - place >= 4 {
    let (north, east) = (events[place + 1], events[place + 2])
    now = now + .seconds(Int64(events[place + 3]))
    switch events[place] % 8 {
    case 0: monitor.set(by: .command)
    case 1: monitor.clear()
    case 2: monitor.lineSettled(.active)
    case 3: monitor.lineSettled(.inactive)
    case 4: monitor.lineLost()
    case 5: monitor.cycleDue(now: now)
    case 6: monitor.restored(kept, now: now)
    default: monitor.fixReported(fix(near: kept, north, east, now))
    }
    check(&monitor)
    place += 4
  }
}

private func fix(near kept: KeptAnchor, _ north: UInt8, _ east: UInt8, _ now: Instant) -> Fix {
  func moved(_ place: Int32?, _ steps: UInt8, _ most: Double) -> Double {
    let moved = Double(place ?? 0) / 1e7 + (Double(steps) - 128) / 11_132
    return Swift.max(-most, Swift.min(most, moved))
  }
  var fix = Fix(
    mode: .threeDimensional, latitude: moved(kept.place?.latitude, north, 90),
    longitude: moved(kept.place?.longitude, east, 180), time: WallTime(nanoseconds: 0),
    notBefore: now)
  fix.horizontalErrorMeters = Double(north ^ east)
  return fix
}

private func check(_ monitor: inout AnchorMonitor) {
  let status = monitor.status
  expect(
    "there is a watch where it is set, and nowhere else",
    (status.state == .unset) == (status.setter == nil))
  if let distance = status.distanceMeters { expect("a distance is one", distance >= 0) }
  if monitor.isToBeKept {
    expectReadAgain(monitor.takeKept())
    expect("what was kept is kept", !monitor.isToBeKept)
  }
}
