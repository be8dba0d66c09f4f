public import Bytes
import CLinux

extension ByteBuffer {
  /// Empties a buffer and gives its memory back to the kernel, but for the first `byteCount` bytes.
  /// It can be filled as before; only what was long for once costs nothing any more.
  public mutating func removeAll(keepingMemoryOf byteCount: Int) {
    removeAll()
    guard byteCount < capacity else { return }
    let start = unsafe UnsafeRawPointer(baseAddress)
    unsafe clinux_return_pages(start + byteCount, start + capacity)
  }
}
