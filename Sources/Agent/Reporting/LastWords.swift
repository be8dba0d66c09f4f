import Bytes
import Sensing

/// The record of a process that a signal ended: the time and its line.
///
///     1795489012 homeward 0.1.0: ended by SIGILL at 0x5d2c1, called from 0x4a1b0; please report …
struct LastWords: Equatable {
  /// Latest accepted second since 1970: in the year 2200.
  private static let latestSecond: Int64 = 7_258_118_400

  /// Nil if the board did not know the time.
  let time: WallTime?
  /// Line without its end, safe for a terminal.
  let line: [UInt8]

  /// Parses the file, which may contain anything: it is only shown.
  init(file: [UInt8]) {
    let end = file.span.firstIndex(of: UInt8(ascii: "\n")) ?? file.count
    let digits = file.prefix(while: { $0.isASCIIDigit }).prefix(12)
    let seconds = digits.reduce(into: Int64(0)) { $0 = $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    let isTimed = !digits.isEmpty && digits.count < end && file[digits.count] == UInt8(ascii: " ")
    let hasTime = isTimed && seconds <= Self.latestSecond
    let moment = WallTime(nanoseconds: hasTime ? seconds * 1_000_000_000 : 0)
    time = moment >= StartTime.earliest ? moment : nil
    line = [UInt8](file[(isTimed ? digits.count + 1 : 0)..<end]).printable
  }

  /// Value for Home Assistant: `2026-11-24T03:16:52Z SIGILL at 0x5d2c1`. The time distinguishes two
  /// crashes at one place.
  var value: InlineText {
    var text = ByteBuffer(capacity: 512)
    if let time {
      // "+00:00" would take the room of the place.
      let moment = Text(iso8601: time).bytes.dropLast(6)
      text.append([UInt8](moment))
      text.append("Z ")
    }
    text.append(cause)
    return InlineText(text.bytes)
  }

  private var cause: Span<UInt8> {
    let mark = [UInt8](": ended by ")
    var start = 0
    while start + mark.count < line.count {
      if line.span.extracting(start...).starts(with: mark.span) { break }
      start += 1
    }
    guard start + mark.count < line.count else { return line.span }
    start += mark.count
    var end = start
    while end < line.count, line[end] != UInt8(ascii: ","), line[end] != UInt8(ascii: ";") {
      end += 1
    }
    return line.span.extracting(start..<end)
  }
}
