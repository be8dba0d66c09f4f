import Bytes

/// Cuts what a device says over VE.Direct into text blocks, and tells which are right.
///
/// A block is lines of CR LF, a label, a tab and a value; the last label is `Checksum`, and its
/// value one byte, any byte, which makes the sum of all bytes from the first CR LF on 0. Frames
/// of the HEX protocol, from `:` to LF, come between blocks and inside them, and do not count;
/// only where that one byte is awaited, `:` is it. (Victron Energy, VE.Direct protocol, 3.33.)
///
/// A block that is not right costs itself alone where its end can be seen, else the next one, too.
/// Where the reading began in the middle, the first end is awaited before a block is believed.
///
/// Some chargers make sums that are always wrong by the same: after `sameSumsMin` whole blocks in a
/// row with one wrong sum, that one is right, too. Noise does not do that.
public struct VEDirectReader: ~Copyable {
  public enum Event: Equatable, Sendable {
    /// A block is whole and its sum is right: `nextLine` has its lines until the next byte.
    case block
    /// What was begun is no block, or its sum is wrong.
    case damaged
  }

  /// Victron's labels have up to 9 bytes, its values up to 32.
  public static let labelByteCountMax = 15
  public static let valueByteCountMax = 63
  /// A block has up to 22 lines.
  public static let blockByteCountMax = 1024
  /// The longest HEX frame; what is longer is noise.
  public static let hexByteCountMax = 512

  /// The whole blocks in a row whose sums are wrong by the same before they are believed.
  public static let sameSumsMin = 8

  private enum Place {
    /// Between blocks: a CR begins one.
    case outside
    /// Behind the CR of a line end.
    case lineEnd
    case label
    case value
    /// Ahead of the one byte.
    case sum
  }

  private var place = Place.outside
  private var hexByteCount: Int?
  private var sum: UInt8 = 0
  /// Whether the block that is read was seen from its beginning.
  private var isAligned = false
  /// What the sum of a right block is beside 0.
  private var believedSum: UInt8 = 0
  /// The sum of the last whole block that was wrong, and how many in a row had it.
  private var wrongSum: (sum: UInt8, count: Int) = (0, 0)
  /// How many whole blocks with a wrong sum were read.
  public private(set) var wrongSumCount = 0
  /// The lines of the block, each as label, tab, value and LF.
  private var lines = ByteBuffer(capacity: blockByteCountMax)
  /// Where the label or the value begins that is read.
  private var start = 0
  private static let checksum: StaticString = "Checksum"

  public init() {}

  /// From here on something else is heard: what was begun is forgotten, and what comes may be the
  /// middle of a block.
  public mutating func restart() {
    place = .outside
    hexByteCount = nil
    isAligned = false
    lines.removeAll()
  }

  /// Nothing came for longer than a block has pauses: what was begun is forgotten, and what comes
  /// is the beginning of a block.
  public mutating func gapPassed() {
    restart()
    isAligned = true
  }

  /// Takes in the next byte.
  public mutating func received(_ byte: UInt8) -> Event? {
    if let count = hexByteCount { return receivedInHex(byte, after: count) }
    if byte == UInt8(ascii: ":"), place != .sum {
      hexByteCount = 0
      return nil
    }
    sum &+= byte
    switch place {
    case .outside:
      if byte == UInt8(ascii: "\r") { begin() }
      return nil
    case .lineEnd: return receivedInLineEnd(byte)
    case .label: return receivedInLabel(byte)
    case .value: return receivedInValue(byte)
    case .sum: return receivedSum()
    }
  }

  // MARK: The lines of the block

  /// The line at `place`, which moves on to the one behind it; nil behind the last one. The line
  /// of the sum is none.
  public func nextLine(at place: inout Int) -> Line? {
    guard place < lines.count,
      let tab = lines.bytes.firstIndex(of: UInt8(ascii: "\t"), from: place),
      let end = lines.bytes.firstIndex(of: UInt8(ascii: "\n"), from: tab)
    else { return nil }
    defer { place = end + 1 }
    return Line(label: place..<tab, value: tab + 1..<end)
  }

  /// Where the two parts of a line stand in `text`.
  public struct Line: Equatable, Sendable {
    public let label: Range<Int>
    public let value: Range<Int>
  }

  /// What the lines are parts of.
  public var text: Span<UInt8> { @_lifetime(borrow self) get { lines.bytes } }

  // MARK: Bytes

  private mutating func begin() {
    sum = UInt8(ascii: "\r")
    lines.removeAll()
    place = .lineEnd
  }

  private mutating func giveUp() -> Event {
    place = .outside
    isAligned = false
    return .damaged
  }

  private mutating func receivedInHex(_ byte: UInt8, after count: Int) -> Event? {
    hexByteCount = byte == UInt8(ascii: "\n") ? nil : count + 1
    guard count >= Self.hexByteCountMax else { return nil }
    hexByteCount = nil
    return giveUp()
  }

  private mutating func receivedInLineEnd(_ byte: UInt8) -> Event? {
    if byte == UInt8(ascii: "\n") {
      place = .label
      start = lines.count
      return nil
    }
    let event = giveUp()
    if byte == UInt8(ascii: "\r") { begin() }
    return event
  }

  private mutating func receivedInLabel(_ byte: UInt8) -> Event? {
    if byte == UInt8(ascii: "\t") {
      let isSum = lines.bytes.extracting(start..<lines.count).elementsEqual(Self.checksum)
      if isSum { lines.truncate(to: start) } else { lines.append(byte) }
      place = isSum ? .sum : .value
      start = lines.count
      return lines.isOverflowed ? giveUp() : nil
    }
    if byte < 0x7F, append(byte, max: Self.labelByteCountMax) { return nil }
    let event = giveUp()
    if byte == UInt8(ascii: "\r") { begin() }
    return event
  }

  private mutating func receivedInValue(_ byte: UInt8) -> Event? {
    if byte == UInt8(ascii: "\r") {
      lines.append(UInt8(ascii: "\n"))
      place = .lineEnd
      return lines.isOverflowed ? giveUp() : nil
    }
    return append(byte, max: Self.valueByteCountMax) ? nil : giveUp()
  }

  /// Whether the byte can stand in a label or a value, and fits.
  private mutating func append(_ byte: UInt8, max: Int) -> Bool {
    guard byte >= 0x20, byte != 0x7F, lines.count - start < max else { return false }
    lines.append(byte)
    return !lines.isOverflowed
  }

  private mutating func receivedSum() -> Event {
    place = .outside
    defer { isAligned = true }
    guard isAligned else { return .damaged }
    if sum == 0 {
      wrongSum.count = 0
      return .block
    }
    return sum == believedSum || isBelieved() ? .block : .damaged
  }

  /// Whether this wrong sum has come so often that it is the device's own.
  private mutating func isBelieved() -> Bool {
    wrongSum = (sum, sum == wrongSum.sum ? wrongSum.count + 1 : 1)
    wrongSumCount = wrongSumCount.addingReportingOverflow(1).partialValue
    if wrongSum.count >= Self.sameSumsMin { believedSum = sum }
    return believedSum == sum
  }
}
