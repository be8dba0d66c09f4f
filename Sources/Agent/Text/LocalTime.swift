import Bytes
import LinuxIO

extension MessageText.StringInterpolation {
  /// `2026-11-21 17:12:33`, as the clocks of people here show it.
  mutating func appendInterpolation(localTime time: WallTime) {
    let local = time - (.zero - time.localOffset)
    let text = Text(iso8601: local).bytes
    appendInterpolation(bytes: [UInt8](text[..<10]) + [UInt8(ascii: " ")] + text[11..<19])
  }
}
