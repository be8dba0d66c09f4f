import Bytes
import Sensing

/// Anything that gpsd may send: the pieces in which it comes do not matter, and libgps gets short
/// objects with a NUL.
func fuzz(_ input: Span<UInt8>) {
  let said = [UInt8](input)
  // Longer lines are skipped where they fill the buffer, which the pieces decide.
  guard said.count < GPSDSession.lineByteCountMax - Heard.version.count else { return }
  let heard = listen(to: said, inPiecesOf: max(1, said.count))
  expect("byte by byte, too", listen(to: said, inPiecesOf: 1) == heard)
  expect("in larger pieces, too", listen(to: said, inPiecesOf: 2 + said.count % 37) == heard)
  expect("it is read whole", heard.copies.allSatisfy(isObjectAndNUL))
  expect("what is told of the receiver can be", heard.details.allSatisfy(isPlausible))
}

private func isPlausible(_ value: Value?) -> Bool {
  switch value {
  case .number(let number): (-1000...1000).contains(number.double)
  case .boolean: false
  case .text, .unknown, .unavailable, nil: true
  }
}

private struct Heard: Equatable {
  static let version = [UInt8](#"{"class":"VERSION"}"#.utf8) + [UInt8(ascii: "\n")]
  /// Copies that libgps gets.
  var copies: [[UInt8]] = []
  var hasFailed = false
  /// Of the receiver, beside its position.
  var details: [Value?] = []
}

private func isObjectAndNUL(_ report: [UInt8]) -> Bool {
  var reader = JSONReader(report.span.extracting(0..<report.count - 1))
  do {
    try reader.openObject()
    while try reader.nextKey() != nil { try reader.skipValue() }
    try reader.finish()
  } catch { return false }
  return report.last == 0 && report.firstIndex(of: 0) == report.count - 1
}

/// Stands in for libgps.
private final class Copies {
  var all: [[UInt8]] = []
}

private func listen(to said: [UInt8], inPiecesOf pieceByteCount: Int) -> Heard {
  let now = Instant(nanoseconds: 1_000_000_000)
  let copies = Copies()
  var session = GPSDSession(
    name: InlineText("gpsd"), details: .all, cycle: .seconds(10), fixTimeout: .seconds(20), now: now
  ) { copy, report in
    copies.all.append([UInt8](copy.bytes))
    // So that some are rejected, and each of them is read.
    report.fix.mode = Int32(copy.count % 4)
    return copy.count % 5 > 0
  }
  _ = session.cycleDue(now: now)
  session.connected(now: now)
  session.input.buffer.append(Heard.version)
  _ = session.bytesReceived(now: now, wallTime: .released)
  var heard = Heard()
  var rest = said[...]
  while !rest.isEmpty, !heard.hasFailed {
    session.input.buffer.append([UInt8](rest.prefix(pieceByteCount)))
    rest = rest.dropFirst(pieceByteCount)
    if case .fail? = session.bytesReceived(now: now, wallTime: .released) { heard.hasFailed = true }
  }
  if !heard.hasFailed {
    _ = session.drained(now: now)
    _ = session.deadlineReached(now: now + .seconds(20))
  }
  heard.copies = copies.all
  if session.takeDetails() { heard.details = ReceiverDetail.allCases.map { session.value(of: $0) } }
  return heard
}
