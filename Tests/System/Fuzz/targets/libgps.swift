import Bytes
import CGPS
import Sensing

private nonisolated(unsafe) let memory = unsafe cgps_make()

/// Anything that gpsd may send, a line at a time: the libgps of this machine accepts what the
/// session makes of it, and comes back.
func fuzz(_ input: Span<UInt8>) {
  let now = Instant(nanoseconds: 1_000_000_000)
  var session = GPSDSession(
    name: InlineText("gpsd"), details: .all, cycle: .seconds(10), fixTimeout: .seconds(20), now: now
  ) { copy, report in parse(&copy, into: &report) }
  _ = session.cycleDue(now: now)
  session.connected(now: now)
  session.input.buffer.append("{\"class\":\"VERSION\"}\n")
  _ = session.bytesReceived(now: now, wallTime: .released)
  for line in [UInt8](input).split(separator: UInt8(ascii: "\n")) {
    guard line.count < session.input.buffer.freeCapacity else { return }
    session.input.buffer.append(Array(line))
    session.input.buffer.append(UInt8(ascii: "\n"))
    if case .fail? = session.bytesReceived(now: now, wallTime: .released) { return }
    _ = session.drained(now: now)
    _ = session.cycleDue(now: now)
  }
}

private func parse(_ copy: inout ByteBuffer, into report: inout GPSDReport) -> Bool {
  guard let memory = unsafe memory else { return false }
  var read = cgps_report()
  let result = copy.withMutableBytes { bytes in
    unsafe bytes.withUnsafeMutableBytes { bytes -> Int32 in
      guard let start = bytes.baseAddress else { return -1 }
      return unsafe cgps_unpack(start.assumingMemoryBound(to: CChar.self), memory, &read)
    }
  }
  expect("libgps can read what it is given", result == 0)
  report.fix.mode = read.mode
  report.fix.latitude = read.latitude
  report.fix.longitude = read.longitude
  return result == 0
}
