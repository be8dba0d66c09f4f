/// Byte buffer with a capacity that is fixed when it is created.
///
/// Bytes that do not fit are not appended and set `isOverflowed`; after that nothing is appended
/// until `removeAll()`. A message is therefore written in one go and checked once, at its end, and
/// the buffer always holds the beginning of the intended text.
@safe public struct ByteBuffer: ~Copyable {
  private let start: UnsafeMutablePointer<UInt8>
  /// Maximum number of bytes.
  public let capacity: Int
  /// Number of bytes written.
  public private(set) var count = 0
  /// Whether something did not fit. The content is then the beginning of the intended text.
  public private(set) var isOverflowed = false
  /// Whether `appendWhole` left something out since the last `removeAll()`.
  public private(set) var hasLeftOut = false

  /// Allocates the whole capacity; nothing is allocated afterwards. Pages that are never written
  /// to cost no memory.
  public init(capacity: Int) {
    precondition(capacity > 0, "a buffer holds something")
    unsafe start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { unsafe start.deallocate() }

  /// Number of bytes that still fit.
  public var freeCapacity: Int { capacity - count }
  /// Whether nothing was written yet.
  public var isEmpty: Bool { count == 0 }

  /// The bytes written so far.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get {
      unsafe _overrideLifetime(
        UnsafeBufferPointer(start: start, count: count).span, borrowing: self)
    }
  }

  /// Lets `body` read the bytes written so far, for a buffer that is a property of an object: there
  /// the compiler ends the borrow of `bytes` too early.
  public func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes)
  }

  /// Address of the bytes, for a C library that reads them later. It does not change during the
  /// life of the buffer.
  @unsafe public var baseAddress: UnsafePointer<UInt8> { unsafe UnsafePointer(start) }

  /// Byte at `index`.
  ///
  /// - Precondition: `index` is in `0..<count`.
  public subscript(index: Int) -> UInt8 {
    get {
      precondition((0..<count).contains(index), "only what was written can be read")
      return unsafe start[index]
    }
    set {
      precondition((0..<count).contains(index), "only what was written can be changed")
      unsafe start[index] = newValue
    }
  }

  /// Removes all bytes and clears `isOverflowed` and `hasLeftOut`. The memory stays allocated.
  public mutating func removeAll() {
    count = 0
    isOverflowed = false
    hasLeftOut = false
  }

  /// Overwrites the written bytes, which are secret, and removes them.
  public mutating func wipe() {
    withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = 0 }
    }
    removeAll()
  }

  /// Removes all bytes from `newCount` on.
  public mutating func truncate(to newCount: Int) {
    precondition((0...count).contains(newCount), "truncating never grows")
    count = newCount
  }

  /// Removes the first `prefixCount` bytes and moves the rest to the front.
  public mutating func removeFirst(_ prefixCount: Int) {
    precondition((0...count).contains(prefixCount), "only what was written can be removed")
    guard prefixCount > 0 else { return }
    count -= prefixCount
    unsafe UnsafeMutableRawPointer(start).copyMemory(from: start + prefixCount, byteCount: count)
  }

  // Every message is written by hundreds of calls of these: inlined into each caller they would be
  // a tenth of the shipped binary.
  /// Appends one byte, or nothing if it does not fit.
  @inline(never)
  public mutating func append(_ byte: UInt8) {
    guard hasRoom(for: 1) else { return }
    unsafe start[count] = byte
    count += 1
  }

  /// Appends all of `bytes`, or nothing if they do not fit.
  @inline(never)
  public mutating func append(_ bytes: Span<UInt8>) {
    guard hasRoom(for: bytes.count) else { return }
    unsafe bytes.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(start + count).copyMemory(from: first, byteCount: bytes.count)
    }
    count += bytes.count
  }

  /// Appends all of `bytes`, or nothing if they do not fit.
  public mutating func append(_ bytes: [UInt8]) { append(bytes.span) }

  /// Appends the UTF-8 of a literal.
  @inline(never)
  public mutating func append(_ text: StaticString) { append(text.bytes) }

  /// Appends everything that `body` appends, or nothing if less than `reserve` bytes would stay
  /// free after it. It does not set `isOverflowed`, so that later content can still be appended.
  @inline(never)
  public mutating func appendWhole(leaving reserve: Int, _ body: (inout ByteBuffer) -> Void) {
    guard !isOverflowed else { return }
    let start = count
    body(&self)
    guard isOverflowed || freeCapacity < reserve else { return }
    count = start
    isOverflowed = false
    hasLeftOut = true
  }

  /// Appends `count` zero bytes for a caller that fills them in place.
  public mutating func appendZeros(_ count: Int) {
    guard hasRoom(for: count) else { return }
    for index in self.count..<self.count + count { unsafe start[index] = 0 }
    self.count += count
  }

  /// Lets `body` change the bytes written so far, in place.
  public mutating func withMutableBytes<Result, Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var written = unsafe UnsafeMutableBufferPointer(start: start, count: count).mutableSpan
    return try body(&written)
  }

  /// Lets `body` fill the free part and return the number of bytes written, as `read(2)` does.
  public mutating func fill<Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    var free = unsafe UnsafeMutableBufferPointer(start: start + count, count: freeCapacity)
      .mutableSpan
    let written = try body(&free)
    precondition((0...free.count).contains(written), "nothing is written past the capacity")
    count += written
  }

  private mutating func hasRoom(for byteCount: Int) -> Bool {
    if byteCount > freeCapacity { isOverflowed = true }
    return !isOverflowed
  }
}

/// First-in, first-out queue.
///
/// The storage is reused: nothing is allocated while at most `capacity` elements wait, if the queue
/// is emptied from time to time.
public struct Queue<Element> {
  private var elements: [Element] = []
  private var takenCount = 0

  /// Creates an empty queue with storage for `capacity` elements.
  public init(capacity: Int = 0) { elements.reserveCapacity(capacity) }

  /// Whether the queue is empty.
  public var isEmpty: Bool { takenCount == elements.count }

  /// Adds an element at the end.
  public mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the oldest element; nil if the queue is empty.
  public mutating func takeFirst() -> Element? {
    guard takenCount < elements.count else { return nil }
    defer {
      takenCount += 1
      if isEmpty {
        elements.removeAll(keepingCapacity: true)
        takenCount = 0
      }
    }
    return elements[takenCount]
  }
}

extension Queue: Sendable where Element: Sendable {}
