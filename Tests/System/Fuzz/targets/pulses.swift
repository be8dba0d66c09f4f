import Bytes

@testable import Sensing

/// Any edges of a line, with any times and numbers, in any pieces; and any file of counts.
///
/// The first byte says which: a file behind the head of ours, with a checksum that is right, so
/// that the inputs get past it; or reads, each a byte for its length in 16ths of an event of
/// linux/gpio.h, one for the tenths of a second that passed, and its events. Half of the inputs are
/// of a line with a minimum width.
func fuzz(_ input: Span<UInt8>) {
  _ = try? KeptCounts(file: input)
  guard input.count > 1 else { return }
  let rest = input.extracting(1...)
  switch input[0] & 3 {
  case 0: readFile(rest)
  case 1: readLevels(rest)
  default: count(rest, minWidth: input[0] & 1 == 0 ? .zero : .milliseconds(5))
  }
}

private func readFile(_ entries: Span<UInt8>) {
  var buffer = ByteBuffer(capacity: entries.count + 16)
  buffer.append("HWCT")
  buffer.append(native: UInt16(1).littleEndian)
  buffer.append(entries)
  var checksum = CRC32C()
  checksum.update(buffer.bytes)
  buffer.append(native: checksum.value.littleEndian)
  guard let counts = try? KeptCounts(file: buffer.bytes) else { return }
  let written = counts.file
  expect("what is written is what was read", written.bytes.elementsEqual(buffer.bytes))
}

private func count(_ input: Span<UInt8>, minWidth: Duration) {
  var now = Instant(nanoseconds: 0)
  var counter = PulseCounter(minWidth: minWidth, count: 1, now: now)
  counter.levelRead(.inactive, now: now)
  var rate = PulseRate(per: .seconds(3600), count: 1)
  forEachRead(input) { bytes, tenths in
    now = now + .milliseconds(100 * Int64(tenths))
    let before = counter.count
    forEachEvent(bytes) { counter.eventRead($0, now: now) }
    counter.readingEnded(now: now)
    expect("pulses are not taken back", counter.count >= before)
    if let last = counter.lastPulse { expect("a pulse is not to come", last <= now) }
    if let deadline = counter.deadline {
      expect("a line is read ten times a second at most", deadline - now >= .milliseconds(-50))
    }
    let speed = rate.sampled(
      count: counter.count, firstPulse: counter.firstPulse, lastPulse: counter.lastPulse,
      perPulse: FixedPoint(2794, decimals: 4), now: now)
    if let speed { expect("a rate is not negative", speed.coefficient >= 0) }
    counter.cycleEnded()
  }
}

private func readLevels(_ input: Span<UInt8>) {
  var now = Instant(nanoseconds: 0)
  var line = LineInput(debounce: .milliseconds(20))
  _ = line.levelRead(.inactive, now: now)
  forEachRead(input) { bytes, tenths in
    now = now + .milliseconds(100 * Int64(tenths))
    forEachEvent(bytes) { event in
      guard let settled = line.eventRead(event, now: now) else { return }
      expect("a level is not of the time to come", settled.instant <= now)
    }
    _ = line.readingEnded(now: now)
    // The debouncer has one, and the rate limiter another.
    var count = 0
    while let deadline = line.deadline {
      expect("no deadline is far away", deadline <= now + .milliseconds(100))
      expect("a deadline that was reached is over", count < 2)
      count += 1
      now = max(now, deadline)
      _ = line.deadlineReached(now: now)
    }
    expect("a line does not rest for ever", !line.isResting)
  }
}

private func forEachRead(_ input: Span<UInt8>, _ body: (Span<UInt8>, UInt8) -> Void) {
  var place = 0
  while input.count - place >= 2 {
    let count = min(Int(input[place]) * 3, input.count - place - 2)
    body(input.extracting(place + 2..<place + 2 + count), input[place + 1])
    place += 2 + count
  }
}

/// The whole events among `bytes`.
private func forEachEvent(_ bytes: Span<UInt8>, _ body: (LineEvent) -> Void) {
  let byteCount = 48
  for start in stride(from: 0, through: bytes.count - byteCount, by: byteCount) {
    let event = bytes.extracting(start..<start + byteCount)
    body(
      LineEvent(
        to: event[8] & 1 == 1 ? .active : .inactive,
        timestamp: event.nativeInteger(UInt64.self, at: 0),
        sequence: event.nativeInteger(UInt32.self, at: 20)))
  }
}
