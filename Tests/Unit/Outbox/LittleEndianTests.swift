import Bytes
import Testing

@testable import Outbox

/// The numbers of the files, of any size.
@Suite struct LittleEndianTests {
  private func groups(_ bytes: [UInt8]) -> UInt64? {
    var fields = FieldReader(bytes.span)
    return fields.groups()
  }

  private func written(_ number: UInt64) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 16)
    buffer.append(groups: number)
    return [UInt8](buffer.bytes)
  }

  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 62, 1 << 63, .max] as [UInt64])
  func aNumberInGroupsComesBack(number: UInt64) {
    #expect(groups(written(number)) == number)
  }

  @Test(arguments: [(127, 1), (128, 2), (1 << 62, 9), (.max, 10)] as [(UInt64, Int)])
  func aGroupHoldsSevenBits(number: UInt64, count: Int) {
    #expect(written(number).count == count)
  }

  /// Foreign bytes: nothing of them may be taken for a smaller number.
  @Test func aNumberThatIsTooLargeOrBreaksOffIsNone() {
    let full = [UInt8](repeating: 0xFF, count: 9)
    #expect(groups(full + [1]) == .max)
    #expect(groups(full + [2]) == nil)
    #expect(groups(full + [0x81, 0]) == nil)
    #expect(groups(full) == nil)
    #expect(groups([]) == nil)
  }
}
