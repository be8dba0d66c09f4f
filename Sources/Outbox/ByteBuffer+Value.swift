import Bytes
import Sensing

extension ByteBuffer {
  /// Appends a state in Home Assistant's form. A binary sensor accepts only true, false and null:
  /// every text, even "off", would turn it on.
  mutating func appendJSON(state value: Value?) {
    switch value {
    case .number(let number): appendJSON(number)
    case .boolean(let truth): appendJSON(truth)
    case .text(let text): appendJSON(text.bytes)
    case .unknown, nil: appendJSONNull()
    case .unavailable: appendJSON("unavailable")
    }
  }
}
