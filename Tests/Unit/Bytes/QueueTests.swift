import Bytes
import Testing

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
