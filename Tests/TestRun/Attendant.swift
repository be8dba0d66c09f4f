public import Foundation
import Synchronization

extension TestRun {
  private static let attendant = Attendant()

  /// A program was started, which is killed where this run ends before it `hasEnded`.
  public static func started(_ process: pid_t) { attendant.watch(process) }

  /// A program that was started has ended.
  public static func hasEnded(_ process: pid_t) { attendant.forget(process) }
}

/// A shell that outlives this process, and then kills the programs that were started and have not
/// ended. It sees the end of this process as the end of its input.
final class Attendant: Sendable {
  private let socket: Int32
  /// The programs are told one after the other.
  private let order = Mutex(())

  /// The shell that waits is not a child of this process: Swift Testing looks at every child that has ended,
  /// again and again until it is reaped.
  private static let script = """
    trap '' INT TERM HUP
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
    } <&0 &
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

  /// In a process group of its own: what kills the group of this process leaves it alone.
  private static func start(reading input: Int32) -> Bool {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // Foundation sees the end of a process by a socket, which may not stay open in this one.
    for number in Int32(3)..<1024 { unsafe posix_spawn_file_actions_addclose(&actions, number) }
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe []
    for argument in ["sh", "-c", script] { unsafe arguments.append(unsafe strdup(argument)) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var process: pid_t = 0
    guard unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environ) == 0
    else { return false }
    return waitpid(process, nil, 0) == process
  }
}
