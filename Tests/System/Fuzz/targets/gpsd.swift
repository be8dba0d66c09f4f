import Bytes
import Sensing

/// Anything that gpsd may say: the pieces in which it comes do not matter, and what libgps is given
/// is one short object and a NUL.
func fuzz(_ input: Span<UInt8>) {
  let said = [UInt8](input)
  // Longer lines are skipped where they fill the buffer, which the pieces decide.
  guard said.count < GPSDSession.lineByteCountMax - Heard.version.count else { return }
  let heard = listen(to: said, inPiecesOf: max(1, said.count))
  expect("byte by byte, too", listen(to: said, inPiecesOf: 1) == heard)
  expect("in larger pieces, too", listen(to: said, inPiecesOf: 2 + said.count % 37) == heard)
  expect("it is read whole", heard.reports.allSatisfy(isObjectAndNUL))
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
  /// In no order: of those that come together the newest is read first, and the others are, too,
  /// where that one is of no use.
  var reports: Set<[UInt8]> = []
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

private func listen(to said: [UInt8], inPiecesOf pieceByteCount: Int) -> Heard {
  let now = Instant(nanoseconds: 1_000_000_000)
  var session = GPSDSession(
    name: InlineText("gpsd"), details: .all, cycle: .seconds(10), fixTimeout: .seconds(20), now: now
  )
  _ = session.cycleDue(now: now)
  session.connected(now: now)
  session.input.buffer.append(Heard.version)
  _ = session.bytesReceived(now: now)
  var heard = Heard()
  var rest = said[...]
  while !rest.isEmpty, !heard.hasFailed {
    session.input.buffer.append([UInt8](rest.prefix(pieceByteCount)))
    rest = rest.dropFirst(pieceByteCount)
    while let action = session.bytesReceived(now: now) {
      if case .fail = action { heard.hasFailed = true }
      guard action == .readReport else { break }
      heard.reports.insert([UInt8](session.report.bytes))
      session.reportRead(nil, now: now, wallTime: .released)
    }
  }
  guard !heard.hasFailed else { return heard }
  let later = now + .seconds(20)
  _ = session.deadlineReached(now: later)
  if session.takeDetails() { heard.details = ReceiverDetail.allCases.map { session.value(of: $0) } }
  return heard
}
