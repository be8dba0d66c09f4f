import Bytes
import Sensing

/// Anything that gpsd may say: in whatever pieces it comes, the report is the newest TPV.
func fuzz(_ input: Span<UInt8>) {
  let said = [UInt8](input)
  guard said.count < GPSDSession.lineByteCountMax else { return }
  let heard = Heard(lines: said)
  expect("at once, it is what was said", listen(to: said, inPiecesOf: max(1, said.count)) == heard)
  expect("byte by byte, too", listen(to: said, inPiecesOf: 1) == heard)
  expect("in larger pieces, too", listen(to: said, inPiecesOf: 2 + said.count % 37) == heard)
}

private struct Heard: Equatable {
  var report: [UInt8] = []
  var hasFailed = false
}

extension Heard {
  /// What a session should make of it, line by line and in the plainest way.
  fileprivate init(lines said: [UInt8]) {
    self.init()
    for line in said.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast()
    {
      if line.starts(with: #"{"class":"TPV""#.utf8) {
        guard line.count < GPSDSession.reportByteCountMax else {
          hasFailed = true
          return
        }
        report = line + [0]
      } else if !line.starts(with: #"{"class":""#.utf8) {
        hasFailed = true
        return
      }
    }
  }
}

private func listen(to said: [UInt8], inPiecesOf pieceByteCount: Int) -> Heard {
  let now = Instant(nanoseconds: 1_000_000_000)
  var session = GPSDSession(
    name: InlineText("gpsd"), pace: .streaming, fixTimeout: .seconds(20), now: now)
  _ = session.cycleDue(now: now)
  session.connected(now: now)
  var heard = Heard()
  var rest = said[...]
  while !rest.isEmpty, !heard.hasFailed {
    session.input.append([UInt8](rest.prefix(pieceByteCount)))
    rest = rest.dropFirst(pieceByteCount)
    if case .fail = session.bytesReceived(now: now) { heard.hasFailed = true }
  }
  heard.report = [UInt8](session.report.bytes)
  return heard
}
