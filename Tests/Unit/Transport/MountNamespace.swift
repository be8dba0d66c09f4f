import Foundation
import Testing

/// A view of the file system in which a test replaces files of the system. It holds for one thread
/// and for the threads that this one starts, such as libcurl's resolver.
enum MountNamespace {
  /// Whether the kernel lets this process make one: root may.
  static let isAllowed = onThread { enter() } ?? false

  struct Refused: Error { let what: String }

  /// Runs `body` on a thread that sees `files`, from a path of the system to what stands there.
  static func run<Result: Sendable>(
    seeing files: [String: [UInt8]], _ body: @escaping @Sendable () throws -> Result
  ) throws -> Result {
    let result = onThread { () -> Swift.Result<Result, any Error> in
      Swift.Result {
        guard enter() else { throw Refused(what: "unshare") }
        for (path, bytes) in files { try replace(path, bytes) }
        return try body()
      }
    }
    return try #require(result).get()
  }

  private static func enter() -> Bool {
    guard unshare(CLONE_NEWNS) == 0 else { return false }
    return unsafe mount(nil, "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0
  }

  private static func replace(_ path: String, _ bytes: [UInt8]) throws {
    let file = URL.temporaryDirectory.appending(path: "homeward-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let target = URL(filePath: path).resolvingSymlinksInPath().path
    guard unsafe mount(file.path, target, nil, UInt(MS_BIND), nil) == 0 else {
      throw Refused(what: path)
    }
  }

  /// Waits for what `body` returns on a thread of its own.
  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) -> Value? {
    let box = Box<Value>()
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      box.value = body()
      isDone.signal()
    }
    isDone.wait()
    return box.value
  }

  /// Written before the semaphore is signalled, and read after.
  private final class Box<Value>: @unchecked Sendable { var value: Value? }
}
