import Bytes

/// Buffer of bytes to send, in order.
struct OutgoingBytes: ~Copyable {
  private var buffer: ByteBuffer
  private var sentByteCount = 0

  init(capacity: Int) { buffer = ByteBuffer(capacity: capacity) }

  /// Number of unsent bytes.
  var count: Int { buffer.count - sentByteCount }

  var freeCapacity: Int { buffer.freeCapacity }

  /// Appends with `write`, whose caller has checked the free capacity.
  mutating func append<Result>(_ write: (inout ByteBuffer) -> Result) -> Result {
    let result = write(&buffer)
    precondition(!buffer.isOverflowed, "who appends asks for the free capacity first")
    return result
  }

  /// Sends from the front with `write`, which returns the number of sent bytes. Bytes move only
  /// after a send, and never more of them than were sent.
  mutating func send(_ write: (Span<UInt8>) -> Int) {
    let byteCount = write(buffer.bytes.extracting(sentByteCount..<buffer.count))
    precondition((0...count).contains(byteCount), "what was sent was pending")
    guard byteCount > 0 else { return }
    sentByteCount += byteCount
    guard sentByteCount >= count else { return }
    buffer.removeFirst(sentByteCount)
    sentByteCount = 0
  }

  mutating func withIdleBuffer(_ body: (inout ByteBuffer) -> Void) {
    guard count == 0 else { return }
    body(&buffer)
  }

  mutating func removeAll() {
    buffer.removeAll()
    sentByteCount = 0
  }
}
