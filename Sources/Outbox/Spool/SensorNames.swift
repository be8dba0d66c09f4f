import Bytes

/// What the slots of sensor records mean. Nothing is allocated for a name that stays the same.
struct SensorNames {
  private var names = [[UInt8]](repeating: [], count: Int(UInt8.max) + 1)

  /// Empty where nothing was said of the slot.
  subscript(slot: UInt8) -> [UInt8] { names[Int(slot)] }

  mutating func set(_ slot: UInt8, to name: [UInt8]) {
    if names[Int(slot)] != name { names[Int(slot)] = name }
  }

  /// Returns whether the slot had another name.
  mutating func set(
    _ slot: UInt8, to range: Range<Int>, of buffer: borrowing ByteBuffer
  ) -> Bool {
    let name = buffer.bytes.extracting(range)
    let former = names[Int(slot)]
    if name.elementsEqual(former.span) { return false }
    names[Int(slot)] = [UInt8](name)
    return !former.isEmpty
  }

  mutating func removeAll() {
    for slot in names.indices where !names[slot].isEmpty { names[slot] = [] }
  }
}

/// A set of slots.
struct SlotSet {
  private var words = InlineArray<4, UInt64>(repeating: 0)

  func contains(_ slot: UInt8) -> Bool {
    words[Int(slot >> 6)] & 1 << UInt64(slot & 63) != 0
  }

  /// Puts a slot in that is not there, or takes it out.
  mutating func toggle(_ slot: UInt8) { words[Int(slot >> 6)] ^= 1 << UInt64(slot & 63) }

  mutating func insert(_ slot: UInt8) { words[Int(slot >> 6)] |= 1 << UInt64(slot & 63) }
}
