import Bytes
import Sensing

extension ByteBuffer {
  /// A value as Home Assistant takes it. A binary sensor takes true, false and null only: every
  /// text, "off" included, would turn it on.
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
