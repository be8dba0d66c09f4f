import Bytes

/// How a TPV begins where gpsd writes it, known without reading the rest:
///
///     {"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2027-05-01T12:00:00.000Z",
///
/// The places count from the start of the line. `"status":2,` may stand before the mode.
struct GPSDReportHead {
  let device: Range<Int>
  let time: Range<Int>
  /// Whether the receiver says that it has a fix.
  let hasFix: Bool

  private static let timeByteCount = 24

  /// Nil where the line begins in any other way.
  init?(_ line: Span<UInt8>) {
    let start: StaticString = #"{"class":"TPV","device":""#
    guard line.starts(with: start),
      let end = line.firstIndex(of: UInt8(ascii: "\""), from: start.utf8CodeUnitCount)
    else { return nil }
    device = start.utf8CodeUnitCount..<end
    var place = end + 1
    if line.holds(#","status":"#, at: place) { place += 11 }
    guard line.holds(#","mode":"#, at: place), line.holds(#","time":""#, at: place + 9) else {
      return nil
    }
    hasFix = line[place + 8] == UInt8(ascii: "2") || line[place + 8] == UInt8(ascii: "3")
    time = place + 18..<place + 18 + Self.timeByteCount
    guard line.holds(#"Z","#, at: time.upperBound - 1) else { return nil }
  }

  /// Whether `line`, which begins so, is a later fix of the same receiver than `other`, as both
  /// say.
  func replaces(_ other: GPSDReportHead, _ otherLine: Span<UInt8>, in line: Span<UInt8>) -> Bool {
    guard hasFix, isSameReceiver(other, otherLine, in: line) else { return false }
    let (time, otherTime) = (time.lowerBound, other.time.lowerBound)
    // Times of the same length are in the order of their bytes.
    return timeDifference(other, otherLine, in: line).map {
      line[time + $0] > otherLine[otherTime + $0]
    } ?? false
  }

  /// Whether it has the same time as `other`, of the same receiver.
  func isEcho(of other: GPSDReportHead, _ otherLine: Span<UInt8>, in line: Span<UInt8>) -> Bool {
    isSameReceiver(other, otherLine, in: line)
      && timeDifference(other, otherLine, in: line) == nil
  }

  private func isSameReceiver(
    _ other: GPSDReportHead, _ otherLine: Span<UInt8>, in line: Span<UInt8>
  ) -> Bool {
    line.extracting(device).elementsEqual(otherLine.extracting(other.device))
  }

  private func timeDifference(
    _ other: GPSDReportHead, _ otherLine: Span<UInt8>, in line: Span<UInt8>
  ) -> Int? {
    line.extracting(time).firstDifference(from: otherLine.extracting(other.time))
  }
}

extension Span where Element == UInt8 {
  fileprivate func holds(_ text: StaticString, at place: Int) -> Bool {
    place <= count && extracting(place...).starts(with: text)
  }
}
