import Bytes

/// The start of a TPV as gpsd writes it, recognised without reading the rest:
///
///     {"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2027-05-01T12:00:00.000Z",
///
/// Ranges count from the start of the line. `"status":2,` may stand before the mode.
struct GPSDReportHead {
  let device: Range<Int>
  let time: Range<Int>
  let hasFix: Bool

  private static let start: StaticString = #"{"class":"TPV","device":""#
  private static let timeByteCount = 24

  /// Nil if the line begins in any other way.
  init?(_ line: Span<UInt8>) {
    let start = Self.start.utf8CodeUnitCount
    guard line.starts(with: Self.start),
      let end = line.firstIndex(of: UInt8(ascii: "\""), from: start)
    else { return nil }
    device = start..<end
    var place = end + 1
    if line.holds(#","status":"#, at: place) { place += 11 }
    guard line.holds(#","mode":"#, at: place), line.holds(#","time":""#, at: place + 9) else {
      return nil
    }
    hasFix = line[place + 8] == UInt8(ascii: "2") || line[place + 8] == UInt8(ascii: "3")
    time = place + 18..<place + 18 + Self.timeByteCount
    guard line.endsTime(at: time) else { return nil }
  }

  /// Whether `line`, to which this head belongs, is a later fix of the same receiver than `other`,
  /// by their own times.
  func replaces(_ other: Span<UInt8>, in line: Span<UInt8>) -> Bool {
    guard hasFix, let place = line.firstDifference(from: other) else { return false }
    // The reports of one receiver are identical up to the time.
    if time.contains(place) { return line[place] > other[place] && other.endsTime(at: time) }
    guard place >= Self.start.utf8CodeUnitCount, let head = GPSDReportHead(other),
      isSameReceiver(head, other, in: line)
    else { return false }
    // Times of the same length sort by their bytes.
    return timeDifference(head, other, in: line).map {
      line[time.lowerBound + $0] > other[head.time.lowerBound + $0]
    } ?? false
  }

  /// Whether both lines are of the same receiver and have the same time.
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
  /// Whether the text at `time` can be a time and ends there.
  fileprivate func endsTime(at time: Range<Int>) -> Bool {
    holds(#"Z","#, at: time.upperBound - 1)
  }

  fileprivate func holds(_ text: StaticString, at place: Int) -> Bool {
    place <= count && extracting(place...).starts(with: text)
  }
}
