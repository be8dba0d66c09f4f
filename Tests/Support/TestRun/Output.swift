public import Foundation

extension Pipe {
  /// What comes through it, until its end.
  public func bytes() -> AsyncStream<[UInt8]> {
    fileHandleForReading.fileDescriptor.bytes(keeping: fileHandleForReading)
  }

  /// The lines that come through it, until its end.
  public func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    let file = fileHandleForReading
    Thread.detachNewThread {
      var rest: [UInt8] = []
      file.fileDescriptor.readToEnd { bytes in
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
      continuation.finish()
    }
    return lines
  }
}

extension Int32 {
  /// What comes through this descriptor, until its end. A thread of its own reads it, and keeps
  /// `owner`, which closes it.
  public func bytes(keeping owner: any AnyObject & Sendable) -> AsyncStream<[UInt8]> {
    let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
    Thread.detachNewThread {
      withExtendedLifetime(owner) { readToEnd { continuation.yield($0) } }
      continuation.finish()
    }
    return chunks
  }

  /// (`FileHandle.availableData` does not survive a signal.)
  fileprivate func readToEnd(_ body: ([UInt8]) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(self, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      body(Array(buffer[..<count]))
    }
  }
}
