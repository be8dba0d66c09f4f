import Bytes
import CLinux
import HomeAssistant
import HomeAssistantClient

/// Fills a store with as many entities as its first argument says, and applies as many events as
/// the second says, each of which changes one of them. It is built as what ships is built, and
/// Valgrind counts the instructions of the changes.
@main struct Main {
  /// After the last the first comes again, and each changes something.
  private static let events = 1000
  /// A prime, so that one change is not beside the next.
  private static let stride = 7919

  static func main() throws(JSONError) {
    let entities = argument(1)
    let changes = argument(2)
    precondition(entities > 0, "there is something to change")
    var store = EntityStore()
    store.subscriptionStarted()
    let all = additions(entities)
    _ = try store.apply(all.span)
    precondition(store.count == entities, "all were taken")
    let events = (0..<events).map { change(of: $0 * stride % entities, to: $0) }
    for index in 0..<changes { try applyChange(events[index % events.count], to: &store) }
  }

  /// Valgrind counts what is done in here, and finds it by its name.
  @inline(never)
  private static func applyChange(
    _ event: [UInt8], to store: inout EntityStore
  ) throws(JSONError) {
    let change = try store.apply(event.span)
    precondition(change.changed.count == 1, "one entity is another one now")
  }

  /// An event that tells all there is.
  private static func additions(_ count: Int) -> [UInt8] {
    var text = ByteBuffer(capacity: 256 * (count + 1))
    text.openJSONObject()
    text.appendJSON(key: "a")
    text.openJSONObject()
    for number in 0..<count {
      text.appendJSON(id(number).span)
      text.append(
        """
        :{"s":"12.5","a":{"state_class":"measurement","unit_of_measurement":"V",\
        "device_class":"voltage","friendly_name":"Boat Battery"},\
        "c":"01M7Z9H9A64FWY6MJWX0624RZ6","lc":1795272779.0789297}
        """)
    }
    text.closeJSONObject()
    text.closeJSONObject()
    precondition(!text.isOverflowed, "the buffer was made for them")
    return [UInt8](text.bytes)
  }

  /// An event that tells how one entity differs.
  private static func change(of number: Int, to value: Int) -> [UInt8] {
    var text = ByteBuffer(capacity: 256)
    text.append("{\"c\":{")
    text.appendJSON(id(number).span)
    text.append(":{\"+\":{\"s\":\"")
    text.append(decimal: value)
    text.append("\",\"lc\":1795272780.5,\"c\":\"01M7Z9H9A64FWY6MJWX0624RZ7\"}}}}")
    return [UInt8](text.bytes)
  }

  private static func id(_ number: Int) -> [UInt8] {
    var id = ByteBuffer(capacity: 32)
    id.append("sensor.voltage_")
    id.append(decimal: number)
    return [UInt8](id.bytes)
  }

  private static func argument(_ index: Int) -> Int {
    guard clinux_argument_count() == 3, let text = unsafe clinux_argument(Int32(index)) else {
      return 0
    }
    return unsafe atol(text)
  }
}
