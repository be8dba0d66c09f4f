import Board
import Bytes
import LinuxIO

extension EventLoop {
  static func forCommand() throws(CommandFailure) -> EventLoop {
    do throws(Errno) { return try EventLoop() } catch {
      throw CommandFailure(code: .osError, text: "an event loop cannot be created: \(error)")
    }
  }

  /// Waits for an event or the deadline, for a command.
  func wait(until deadline: Instant?) throws(CommandFailure) {
    do throws(Errno) { try turn(until: deadline) } catch {
      throw CommandFailure(code: .osError, text: "waiting for events failed: \(error)")
    }
  }
}
