import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct HistoryChunkTests {
  @Test(arguments: [0x01, 0x22, 0x41, 0x80] as [UInt8])
  func whateverSensorsAreCalledAChunkFitsIntoItsEvent(byte: UInt8) {
    var chunk = HistoryChunk()
    var count = 0
    while true {
      let slot = UInt8(truncatingIfNeeded: count)
      let name = [slot] + [UInt8](repeating: byte, count: 199)
      let entry = SpoolEntry(
        sequence: nil, time: WallTime(nanoseconds: 0), isTimeTrusted: true,
        content: .reading(sensor: slot, .boolean(true)))
      guard chunk.append(entry, of: HistorySensor(uniqueID: name, name: name)) else { break }
      count += 1
    }
    var data = ByteBuffer(capacity: SensorTable.dataByteCountMax)
    chunk.write(into: &data, of: History.Device(id: [1], name: [2]))
    let (byteCount, isOverflowed) = (data.count, data.isOverflowed)
    #expect(!isOverflowed)
    #expect(byteCount <= HistoryChunk.byteCountMax)
    #expect(count > 5)
  }

  /// A consumer drops what it has by the first and the last number of an event: what has no number
  /// stands in an event of its own.
  @Test(
    arguments: [
      ([1, 2, 5], 3), ([nil, nil], 2), ([4, nil], 1), ([nil, 4], 1), ([4, 4], 1), ([4, 3], 1),
    ] as [([UInt64?], Int)])
  func oneEventHoldsNumbersThatRiseOrNone(numbers: [UInt64?], taken: Int) {
    var chunk = HistoryChunk()
    let sensor = HistorySensor(uniqueID: [UInt8]("a".utf8), name: [UInt8]("A".utf8))
    var count = 0
    for number in numbers {
      let entry = SpoolEntry(
        sequence: number, time: WallTime(nanoseconds: 0), isTimeTrusted: true,
        content: .reading(sensor: 0, .boolean(true)))
      if chunk.append(entry, of: sensor) { count += 1 }
    }
    #expect(count == taken)
  }
}
