import Bytes

/// Bytes that wait to be sent, in one piece and in order.
struct OutgoingBytes: ~Copyable {
  private var buffer: ByteBuffer
  private var sentByteCount = 0

  init(capacity: Int) { buffer = ByteBuffer(capacity: capacity) }

  /// How much is not sent yet.
  var count: Int { buffer.count - sentByteCount }

  var freeCapacity: Int { buffer.freeCapacity }

  /// Lets `write` append; it knows that its bytes fit.
  mutating func append<Result>(_ write: (inout ByteBuffer) -> Result) -> Result {
    let result = write(&buffer)
    precondition(!buffer.isOverflowed, "who appends asks for the free capacity first")
    return result
  }

  /// Lets `write` send from the front and say how many bytes it took. Only where it took some do
  /// bytes move, and never more of them than were sent.
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
