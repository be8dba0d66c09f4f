import Bytes
import CLinux
import HomeAssistant
import LinuxIO
import Transport

/// Tells how many KiB of its own a process needs more for an open session with Home Assistant:
/// `session-memory URL TOKEN ENTITIES open|keep`. The session watches `sensor.bench_0` and so on;
/// with `keep` it also keeps what they are.
///
/// Before it looks for the first time it has made one call over HTTP, so libcurl is there. It looks
/// again when it was told what the entities are and nothing happens any more.
///
/// Exits with 0, 64 (usage), or 69 (the server is not there, or does not know the entities).
@main struct Main {
  private static let userAgent = [UInt8]("Homeward")
  /// After the last message of a session that has just begun.
  private static let rest: Duration = .seconds(1)
  private static let timeout: Duration = .seconds(30)

  static func main() throws(Errno) {
    guard clinux_argument_count() == 5 else { exit(64) }
    let address = argument(1)
    let token = argument(2)
    let entities = number(in: argument(3)[...])
    let keepsStates = argument(4) == [UInt8]("keep")
    let loop = try EventLoop()
    guard
      let greeting = Greeting(from: address, token: token, userAgent: userAgent, loop: loop)
    else { exit(69) }
    while !greeting.isDone {
      try loop.turn(until: greeting.deadline)
      greeting.deadlineReached(now: Moment.now.instant)
    }

    _ = try privateKibibytes()  // Reading, too, needs memory for the first time.
    let before = try privateKibibytes()
    guard
      let session = WatchingSession(
        to: address, token: token, userAgent: userAgent, entities: entities,
        keepsStates: keepsStates, loop: loop)
    else { exit(69) }
    let limit = Moment.now.instant + timeout
    while !session.isComplete {
      guard Moment.now.instant < limit else { exit(69) }
      try session.turn(until: limit)
    }
    let end = Moment.now.instant + rest
    while Moment.now.instant < end { try session.turn(until: end) }
    tell(try privateKibibytes() - before)
    exit(greeting.hasSucceeded ? 0 : 69)
  }

  private static func argument(_ index: Int32) -> [UInt8] {
    guard let text = unsafe clinux_argument(index) else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  private static func tell(_ number: Int) {
    var line = ByteBuffer(capacity: 32)
    line.append(decimal: number)
    line.append("\n")
    unsafe line.bytes.withUnsafeBytes { _ = unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}

/// What no other process has a part in, in KiB: the lines such as `Private_Dirty:      1024 kB` of
/// `proc_pid_smaps_rollup(5)`.
private func privateKibibytes() throws(Errno) -> Int {
  let file = try readFile(at: Path("/proc/self/smaps_rollup"), byteCountMax: 4096)
  var sum = 0
  for line in file.split(separator: UInt8(ascii: "\n")) where line.starts(with: [UInt8]("Private_"))
  {
    sum += number(in: line)
  }
  return sum
}

private func number(in line: ArraySlice<UInt8>) -> Int {
  line.reduce(0) { $1.isASCIIDigit ? $0 * 10 + Int($1 - UInt8(ascii: "0")) : $0 }
}
