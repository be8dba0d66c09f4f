import Bytes

@testable import Sensing

/// Anything that a serial port may bring: what becomes a block has a right sum, and a device that
/// speaks afterwards is heard.
func fuzz(_ input: Span<UInt8>) {
  var reader = VEDirectReader()
  reader.gapPassed()
  for index in input.indices where reader.received(input[index]) == .block {
    expect("the sum of a block is right", sum(of: reader, endingIn: input[index]) == 0)
  }
  listen(to: [UInt8](input))
}

private func sum(of reader: borrowing VEDirectReader, endingIn last: UInt8) -> UInt8 {
  var bytes: [UInt8] = []
  var place = 0
  while let line = reader.nextLine(at: &place) {
    expect("a label is short", line.label.count <= VEDirectReader.labelByteCountMax)
    expect("a value is short", line.value.count <= VEDirectReader.valueByteCountMax)
    bytes += [13, 10] + [UInt8](reader.text.extracting(line.label))
    bytes += [9] + [UInt8](reader.text.extracting(line.value))
  }
  return (bytes + [UInt8]("\r\nChecksum\t".utf8) + [last]).reduce(0, &+)
}

private struct Driver: ~Copyable {
  var session = VEDirectSession(name: InlineText("cable"))
  var now = Instant(nanoseconds: 1_000_000_000)
  var finishCount = 0

  /// A second of the device's life.
  mutating func pass(_ bytes: ArraySlice<UInt8>) {
    perform(session.cycleDue(now: now), bytes)
    now = now + .milliseconds(750)
    perform(session.inputArrived(now: now), bytes)
    now = now + VEDirectSession.blockTime
    perform(session.deadlineReached(now: now), bytes)
    expect("what waits has a deadline", !session.isGathering || session.deadline != nil)
  }

  private mutating func perform(_ first: VEDirectSession.Action?, _ bytes: ArraySlice<UInt8>) {
    var action = first
    while let next = action {
      action = nil
      switch next {
      case .open: action = session.opened(now: now)
      case .read:
        session.buffer.append([UInt8](bytes))
        session.bytesRead(now: now)
        action = session.drained(now: now)
      case .finish:
        finishCount += 1
        for sensor in 0..<VEDirectSensor.count { _ = session.report(sensor, now: now) }
      case .listen, .pause, .discard, .fail: break
      }
    }
  }
}

private func listen(to input: [UInt8]) {
  var driver = Driver()
  var rest = input[...]
  while !rest.isEmpty {
    driver.pass(rest.prefix(200))
    rest = rest.dropFirst(200)
  }
  let finishCount = driver.finishCount
  let lines = "\r\nPID\t0xA042\r\nSER#\tHQ1\r\nV\t12000\r\nChecksum\t"
  let block = [UInt8](lines.utf8) + [0 &- [UInt8](lines.utf8).reduce(0, &+)]
  // Up to ten seconds of a cycle that is not over, one for a device that is another one, and
  // three to learn what it says.
  for _ in 0..<16 { driver.pass(block[...]) }
  expect("a device that speaks is heard", driver.finishCount > finishCount)
}
