import Bytes
import Testing

@Suite struct ByteBufferTests {
  private struct Failed: Error {}

  @Test func aPartThatDoesNotFitIsLeftOutAsAWhole() {
    var buffer = ByteBuffer(capacity: 8)
    buffer.appendWhole(leaving: 2) { $0.append("abc") }
    buffer.appendWhole(leaving: 2) {
      $0.append("de")
      $0.append("fghi")
    }
    buffer.appendWhole(leaving: 2) { $0.append("jkl") }
    buffer.appendWhole(leaving: 2) { $0.append("mno") }
    buffer.append("yz")
    let (contents, fitted) = ([UInt8](buffer.bytes), !buffer.isOverflowed)
    #expect(contents == [UInt8]("abcjklyz".utf8))
    #expect(fitted)
    buffer.append("!!")
    buffer.appendWhole(leaving: 0) { _ in }
    let isOverflowed = buffer.isOverflowed
    #expect(isOverflowed)
  }

  @Test func aBufferHoldsExactlyItsCapacity() {
    var buffer = ByteBuffer(capacity: 3)
    buffer.append([1, 2])
    buffer.append(3)
    let contents = [UInt8](buffer.bytes)
    let (isOverflowed, free) = (buffer.isOverflowed, buffer.freeCapacity)
    #expect(contents == [1, 2, 3])
    #expect(!isOverflowed)
    #expect(free == 0)
  }

  @Test func whatDoesNotFitIsNotHalfWritten() {
    #expect(bytes(capacity: 4) { $0.append([1, 2, 3, 4, 5]) } == [])
    #expect(text(capacity: 4) { $0.append("hello") } == "")
    #expect(bytes(capacity: 4) { $0.appendZeros(5) } == [])
  }

  @Test func aFullBufferSaysSoUntilItIsEmptied() {
    let isOverflowedAfterTruncation = overflows(capacity: 2) { buffer in
      buffer.append([1, 2, 3])
      buffer.truncate(to: 0)
      buffer.append(4)
    }
    #expect(isOverflowedAfterTruncation, "making room does not bring back what was dropped")
    let isOverflowedAfterAll = overflows(capacity: 2) { buffer in
      buffer.append([1, 2, 3])
      buffer.removeAll()
      buffer.append([4, 5])
    }
    #expect(!isOverflowedAfterAll)
  }

  @Test func whatOverflowedIsTheBeginningOfWhatWasMeant() {
    for seed in UInt64(0)..<200 {
      var random = SplitMix64(seed: seed)
      var buffer = ByteBuffer(capacity: 40)
      var meant: [UInt8] = []
      for _ in 0..<12 {
        let part = random.bytes(count: Int.random(in: 0...9, using: &random))
        buffer.append(part)
        meant += part
      }
      let written = [UInt8](buffer.bytes)
      let isOverflowed = buffer.isOverflowed
      #expect(meant.starts(with: written), "seed \(seed)")
      #expect(isOverflowed == (written != meant), "seed \(seed)")
    }
  }

  @Test func fillingTakesAsManyBytesAsItWasTold() {
    var buffer = ByteBuffer(capacity: 4)
    buffer.append(1)
    buffer.fill { free in
      let count = free.count
      #expect(count == 3)
      free[0] = 2
      free[1] = 3
      return 2
    }
    #expect([UInt8](buffer.bytes) == [1, 2, 3])
  }

  @Test func fillingThatFailsLeavesTheBufferAsItWas() {
    var buffer = ByteBuffer(capacity: 4)
    buffer.append(1)
    #expect(throws: Failed.self) {
      try buffer.fill { (free) throws(Failed) in
        free[0] = 9
        throw Failed()
      }
    }
    #expect([UInt8](buffer.bytes) == [1])
  }

  @Test func aFullBufferHasNothingToFill() {
    var buffer = ByteBuffer(capacity: 1)
    buffer.append(1)
    buffer.fill { free in
      let isEmpty = free.isEmpty
      #expect(isEmpty)
      return 0
    }
    #expect([UInt8](buffer.bytes) == [1])
  }

  @Test(arguments: [(0, [1, 2, 3, 4]), (1, [2, 3, 4]), (3, [4]), (4, [])] as [(Int, [UInt8])])
  func whatIsRemovedFromTheFrontMakesRoomAtTheEnd(count: Int, left: [UInt8]) {
    var buffer = ByteBuffer(capacity: 4)
    buffer.append([1, 2, 3, 4])
    buffer.removeFirst(count)
    #expect([UInt8](buffer.bytes) == left)
    let free = buffer.freeCapacity
    #expect(free == count)
  }

  @Test func truncatingForgetsTheEnd() {
    var buffer = ByteBuffer(capacity: 4)
    buffer.append([1, 2, 3])
    buffer.truncate(to: 1)
    buffer.append(9)
    #expect([UInt8](buffer.bytes) == [1, 9])
  }

  @Test func bytesAreChangedInPlace() {
    var buffer = ByteBuffer(capacity: 4)
    buffer.append([1, 2, 3])
    buffer[1] = 7
    buffer.withMutableBytes { bytes in
      let count = bytes.count
      #expect(count == 3, "the free part is not shown")
      bytes[2] = 8
    }
    #expect([UInt8](buffer.bytes) == [1, 7, 8])
  }

  @Test func readingPastTheEndOrBeforeTheStartTraps() async {
    await #expect(processExitsWith: .failure) {
      var buffer = ByteBuffer(capacity: 4)
      buffer.append(1)
      _ = buffer[1]
    }
    await #expect(processExitsWith: .failure) {
      var buffer = ByteBuffer(capacity: 4)
      buffer.append(1)
      buffer[-1] = 0
    }
  }
}

@Suite struct QueueTests {
  @Test func whatWaitsLongestComesFirst() {
    var queue = Queue<Int>()
    queue.append(1)
    queue.append(2)
    #expect(queue.takeFirst() == 1)
    queue.append(3)
    #expect(queue.takeFirst() == 2)
    #expect(!queue.isEmpty)
    #expect(queue.takeFirst() == 3)
    #expect(queue.isEmpty)
    #expect(queue.takeFirst() == nil)
  }

  @Test func whatComesAfterItWasEmptiedIsGivenOnce() {
    var queue = Queue<Int>(capacity: 1)
    for number in 0..<1000 {
      queue.append(number)
      #expect(queue.takeFirst() == number)
      #expect(queue.takeFirst() == nil)
    }
  }
}
