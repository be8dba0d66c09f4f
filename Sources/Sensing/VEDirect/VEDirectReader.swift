import Bytes

/// Splits the output of a device over VE.Direct into text blocks, and checks their sums.
///
/// A block consists of lines of CR LF, a label, a tab and a value; the last label is `Checksum`,
/// and its value is one byte, any byte, that makes the sum of all bytes from the first CR LF 0.
/// Frames of the HEX protocol, from `:` to LF, come between blocks and inside them, and do not
/// count, but in place of the checksum byte, `:` is that byte. (Victron Energy, VE.Direct protocol,
/// 3.33.)
///
/// An invalid block costs only itself if its end can be seen, otherwise the next one too. If the
/// reading began inside a block, no block is accepted before the first end.
///
/// The sums of some chargers are always wrong by the same amount: after `sameSumsMin` whole blocks
/// in a row with one wrong sum, that sum is accepted too. Noise does not repeat a sum.
public struct VEDirectReader: ~Copyable {
  public enum Event: Equatable, Sendable {
    /// A block is complete and its sum is accepted: `nextLine` returns its lines until the next
    /// byte.
    case block
    /// The input is not a block, or its sum is wrong.
    case damaged
  }

  /// Maximum sizes: Victron's labels have up to 9 bytes, its values up to 32.
  public static let labelByteCountMax = 15
  public static let valueByteCountMax = 63
  /// Maximum size of a block, which has up to 22 lines.
  public static let blockByteCountMax = 1024
  /// Maximum size of a HEX frame; a longer one is noise.
  public static let hexByteCountMax = 512

  /// Number of whole blocks in a row with the same wrong sum before it is accepted.
  public static let sameSumsMin = 8

  private enum Place {
    /// Between blocks: a CR begins the next one.
    case outside
    /// After the CR of a line end.
    case lineEnd
    case label
    case value
    /// Before the checksum byte.
    case sum
  }

  private var place = Place.outside
  private var hexByteCount: Int?
  private var sum: UInt8 = 0
  /// Whether the current block was read from its beginning.
  private var isAligned = false
  /// Accepted sum other than 0.
  private var believedSum: UInt8 = 0
  /// Sum of the last whole block with a wrong one, and the number of such blocks in a row.
  private var wrongSum: (sum: UInt8, count: Int) = (0, 0)
  /// Number of whole blocks with a wrong sum.
  public private(set) var wrongSumCount = 0
  /// The lines of the block, each as label, tab, value and LF.
  private var lines = ByteBuffer(capacity: blockByteCountMax)
  /// Start of the current label or value.
  private var start = 0
  private static let checksum: StaticString = "Checksum"

  public init() {}

  /// Discards the partial input: the next bytes may be the middle of a block.
  public mutating func restart() {
    place = .outside
    hexByteCount = nil
    isAligned = false
    lines.removeAll()
  }

  /// Records a silence longer than any pause in a block: discards the partial input, and the next
  /// byte begins a block.
  public mutating func gapPassed() {
    restart()
    isAligned = true
  }

  /// Processes the next byte.
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

  /// Returns the line at `place`, and moves `place` behind it; nil after the last one. The checksum
  /// line is not returned.
  public func nextLine(at place: inout Int) -> Line? {
    guard place < lines.count,
      let tab = lines.bytes.firstIndex(of: UInt8(ascii: "\t"), from: place),
      let end = lines.bytes.firstIndex(of: UInt8(ascii: "\n"), from: tab)
    else { return nil }
    defer { place = end + 1 }
    return Line(label: place..<tab, value: tab + 1..<end)
  }

  /// The ranges of a line's label and value in `text`.
  public struct Line: Equatable, Sendable {
    public let label: Range<Int>
    public let value: Range<Int>
  }

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

  /// Appends a byte of a label or a value. Returns whether it is valid and fits.
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

  /// Returns whether this wrong sum has come often enough to be the device's own.
  private mutating func isBelieved() -> Bool {
    wrongSum = (sum, sum == wrongSum.sum ? wrongSum.count + 1 : 1)
    wrongSumCount = wrongSumCount.addingReportingOverflow(1).partialValue
    if wrongSum.count >= Self.sameSumsMin { believedSum = sum }
    return believedSum == sum
  }
}
