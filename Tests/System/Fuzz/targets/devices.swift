import Bytes

@testable import Sensing

/// Anything that a socket of device events may bring, at any time: sources hear of it at most once
/// a second, the socket is left alone in a storm and not for ever, and an announcement of the
/// kernel is heard whatever came before.
///
/// The input is a list of datagrams: a byte for the hundredths of a second before it, one for what
/// became of it, two for the length (the lower one first), and the bytes.
func fuzz(_ input: Span<UInt8>) {
  var now = Instant(nanoseconds: 0)
  var monitor = DeviceMonitor()
  var toldAt: Instant?
  var place = 0
  while input.count - place >= 4 {
    let count = min(Int(input[place + 2]) | Int(input[place + 3]) << 8, input.count - place - 4)
    let datagram = input.extracting(place + 4..<place + 4 + count)
    now = now + .milliseconds(10 * Int64(input[place]))
    monitor.deadlineReached(now: now)
    if input[place + 1] & 7 == 0 { monitor.lost() } else { monitor.received(datagram) }
    monitor.socketRead(count: UInt32(input[place + 1]), now: now)
    tell(&monitor, &toldAt, now: now)
    place += 4 + count
  }
  hear(&monitor, &toldAt, now: &now)
}

private func tell(_ monitor: inout DeviceMonitor, _ toldAt: inout Instant?, now: Instant) {
  let news = monitor.takeNews(now: now)
  expect("news are of known kinds", DeviceKinds.all.isSuperset(of: news))
  if !news.isEmpty {
    if let toldAt { expect("sources are not asked too often", now - toldAt >= DeviceMonitor.pause) }
    toldAt = now
  }
  expect("what was told is told", monitor.takeNews(now: now).isEmpty)
  if let deadline = monitor.deadline {
    expect("no deadline is far away", deadline <= now + DeviceMonitor.pause)
  }
}

/// The kernel announces a device, and is silent then.
private func hear(_ monitor: inout DeviceMonitor, _ toldAt: inout Instant?, now: inout Instant) {
  let message: StaticString = "add@/devices/x\0SUBSYSTEM=hwmon\0"
  var datagram = ByteBuffer(capacity: 64)
  datagram.append(message)
  let before = toldAt
  monitor.received(datagram.bytes)
  tell(&monitor, &toldAt, now: now)
  for _ in 0..<4 {
    guard let deadline = monitor.deadline else { break }
    now = max(now, deadline)
    monitor.deadlineReached(now: now)
    tell(&monitor, &toldAt, now: now)
  }
  expect("what the kernel announced is told", toldAt != before)
  expect("the socket does not rest for ever", !monitor.isResting)
  expect("nothing is due while the kernel is silent", monitor.deadline == nil)
}
