import Bytes
import CLinux
import LinuxIO
import TestRun
import Testing

@Suite struct ByteBufferMemoryTests {
  private static let pageByteCount = sysconf(Int32(_SC_PAGESIZE))

  @Test func aLongMessageCostsNothingOnceItIsDone() {
    var buffer = ByteBuffer(capacity: 4 << 20)
    buffer.append([UInt8](repeating: 7, count: 3 << 20))
    let full = residentByteCount(of: buffer)
    #expect(full >= 3 << 20)
    buffer.removeAll(keepingMemoryOf: 64 * 1024)
    let after = residentByteCount(of: buffer)
    #expect(after <= 64 * 1024 + 2 * Self.pageByteCount)
    // And it is as good as new.
    buffer.append([UInt8](repeating: 9, count: 4 << 20))
    let bytes = [UInt8](buffer.bytes)
    #expect(bytes == [UInt8](repeating: 9, count: 4 << 20))
  }

  @Test(arguments: [0, 1, 4095, 4096, 100_000, 1 << 20, 2 << 20])
  func neighboursInMemoryAreLeftAlone(keptByteCount: Int) {
    var buffers = (0..<3).map { _ in [UInt8](repeating: 5, count: 1 << 20) }
    var buffer = ByteBuffer(capacity: 1 << 20)
    var small = ByteBuffer(capacity: 100)
    small.append([UInt8](repeating: 6, count: 100))
    buffer.append([UInt8](repeating: 7, count: 1 << 20))
    buffer.removeAll(keepingMemoryOf: keptByteCount)
    small.removeAll(keepingMemoryOf: 0)
    buffers.append([UInt8](repeating: 5, count: 1 << 20))
    #expect(buffers.allSatisfy { $0.allSatisfy { $0 == 5 } })
  }

  private func residentByteCount(of buffer: borrowing ByteBuffer) -> Int {
    unsafe TestRun.residentByteCount(
      of: UnsafeRawBufferPointer(start: buffer.baseAddress, count: buffer.capacity))
  }
}
