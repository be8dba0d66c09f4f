import Bytes
import CLinux
import LinuxIO
import Transport

/// The client that the Autobahn test suite judges: `websocket-echo URL` runs every case that the
/// fuzzing server at `URL` (`http://127.0.0.1:9001`, without a slash at its end) has, and sends
/// back each message that comes. What it made of them stands in the server's report.
///
/// Exits with 0 when it went through all, 64 (usage) or 69 (the server is not there).
@main struct Main {
  static func main() throws(Errno) {
    guard clinux_argument_count() == 2, let url = unsafe clinux_argument(1) else { exit(64) }
    let loop = try EventLoop()
    guard
      let fuzzing = unsafe FuzzingClient(
        loop: loop, server: [UInt8](UnsafeRawBufferPointer(start: url, count: strlen(url))))
    else { exit(69) }
    fuzzing.begin()
    while !fuzzing.isDone {
      try loop.turn(until: fuzzing.deadline)
      fuzzing.deadlineReached(now: Moment.now.instant)
    }
    exit(fuzzing.hasFailed ? 69 : 0)
  }
}
