public import Bytes
import CLinux

extension ByteBuffer {
  /// Empties a buffer and returns its memory to the kernel, except the first `byteCount` bytes. The
  /// capacity stays the same.
  public mutating func removeAll(keepingMemoryOf byteCount: Int) {
    removeAll()
    guard byteCount < capacity else { return }
    let start = unsafe UnsafeRawPointer(baseAddress)
    unsafe clinux_return_pages(start + byteCount, start + capacity)
  }
}
