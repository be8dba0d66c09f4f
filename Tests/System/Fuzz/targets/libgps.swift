import Bytes
import CGPS
import Sensing

private nonisolated(unsafe) let memory = unsafe cgps_make()

/// Anything that gpsd may say, a line at a time, with what the session makes of it given to the
/// libgps of this machine: it takes it, and comes back.
func fuzz(_ input: Span<UInt8>) {
  let now = Instant(nanoseconds: 1_000_000_000)
  var session = GPSDSession(
    name: InlineText("gpsd"), cycle: .seconds(10), fixTimeout: .seconds(20), now: now)
  _ = session.cycleDue(now: now)
  session.connected(now: now)
  session.input.buffer.append("{\"class\":\"VERSION\"}\n")
  _ = session.bytesReceived(now: now)
  for line in [UInt8](input).split(separator: UInt8(ascii: "\n")) {
    guard line.count < session.input.buffer.freeCapacity else { return }
    session.input.buffer.append(Array(line))
    session.input.buffer.append(UInt8(ascii: "\n"))
    while let action = session.bytesReceived(now: now) {
      guard action == .readReport, let memory = unsafe memory else { return }
      var fix = cgps_fix()
      let result = unsafe session.withReport { unsafe cgps_unpack($0, memory, &fix) }
      expect("libgps can read what it is given", result == 0)
      session.reportRead(nil, now: now, wallTime: .released)
    }
  }
}
