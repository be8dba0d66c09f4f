import Foundation
import Synchronization

/// A shell that outlives this process, and then kills the programs that were started and have not
/// ended. It sees the end of this process as the end of its input.
final class Attendant: Sendable {
  private let socket: Int32
  /// The programs are told one after the other.
  private let order = Mutex(())

  static let ofThisRun = Attendant()

  /// The shell that waits is not a child of this process: Swift Testing looks at every child that
  /// has ended, again and again until it is reaped. (What a shell starts in the background has
  /// `/dev/null` as its descriptor 0, which is why it gets the input by another number.)
  private static let script = """
    trap '' INT TERM HUP
    exec 3<&0
    {
      alive=
      while read -r what number; do
        others=
        for process in $alive; do
          [ "$process" = "$number" ] || others="$others $process"
        done
        alive=$others
        [ "$what" = "-" ] || alive="$alive $number"
      done
      [ -z "$alive" ] || kill -9 $alive
    } <&3 3<&- &
    """

  init() {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0, Self.start(reading: ends[1]) else {
      fatalError("no shell that ends what the tests start")
    }
    close(ends[1])
    socket = ends[0]
  }

  deinit { close(socket) }

  func watch(_ process: pid_t) { tell("+ \(process)\n") }
  func forget(_ process: pid_t) { tell("- \(process)\n") }

  private func tell(_ line: String) {
    order.withLock { _ in
      let bytes = Array(line.utf8)
      _ = unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  private static func start(reading input: Int32) -> Bool {
    guard let process = try? spawn(["/bin/sh", "-c", script], streams: [input, nil, nil])
    else { return false }
    return waitpid(process, nil, 0) == process
  }
}
