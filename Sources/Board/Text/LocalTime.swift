public import Bytes
import LinuxIO

extension MessageText.StringInterpolation {
  /// Appends the local time with its offset from UTC, such as `2026-11-21 17:12:33+01:00`.
  public mutating func appendInterpolation(localTime time: WallTime) {
    let offset = time.localOffset
    let text = Text(iso8601: time - (.zero - offset)).bytes
    // On the first day the time of this moment is the offset in hours and minutes.
    let isBehind = offset < .zero
    let ahead = WallTime(nanoseconds: 0) + (isBehind ? .zero - offset : offset)
    appendInterpolation(bytes: [UInt8](text[..<10]) + [UInt8(ascii: " ")] + text[11..<19])
    appendInterpolation((isBehind ? "-" : "+") as StaticString)
    appendInterpolation(bytes: [UInt8](Text(iso8601: ahead).bytes[11..<16]))
  }
}
