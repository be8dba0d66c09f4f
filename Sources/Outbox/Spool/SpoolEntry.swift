public import Bytes
import HomeAssistant
public import Sensing

/// What may be lost when the power goes.
public enum Durability: Equatable, Sendable {
  /// Nothing: every reading is on the disk before the next one is looked at.
  case reading
  /// The open batch, which is one cycle at most.
  case batch
  /// Everything that comes: nothing is kept on the disk.
  case memory
}

/// Something that could not be proven delivered, with its own time.
public struct SpoolEntry: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// `sensor` is a place that `Spool.uniqueID(of:)` knows the name of.
    case reading(sensor: UInt8, Value)
    /// Its `notBefore` is the beginning of time, so that it is never taken for a fresh one.
    case fix(Fix)
  }

  /// Counts up for ever and is never given twice, so that the receiver of a double can tell. What
  /// was never on the disk has none: after a power cut the spool would not know that it was given.
  public var sequence: UInt64?
  /// When it was true.
  public var time: WallTime
  /// Whether the clock that `time` comes from was known to be right.
  public var isTimeTrusted: Bool
  public var content: Content

  // Inlined like `SpoolMemory.append`: an entry is written where it stays.
  @inline(__always)
  public init(
    sequence: UInt64?, time: WallTime, isTimeTrusted: Bool, content: Content
  ) {
    self.sequence = sequence
    self.time = time
    self.isTimeTrusted = isTimeTrusted
    self.content = content
  }
}

extension SpoolEntry {
  /// One that has no number yet.
  @inline(__always)
  init(_ reading: Reading, slot: UInt8, isTimeTrusted: Bool) {
    self.init(
      sequence: nil, time: reading.time, isTimeTrusted: isTimeTrusted,
      content: .reading(sensor: slot, reading.value))
  }

  /// One that has no number yet.
  init(_ fix: Fix, isTimeTrusted: Bool) {
    var fix = fix
    fix.notBefore = Instant(nanoseconds: .min)
    self.init(sequence: nil, time: fix.time, isTimeTrusted: isTimeTrusted, content: .fix(fix))
  }

  /// The clock that told the time was wrong by `step`, unless it was trusted.
  mutating func correctTime(by step: Duration) {
    guard !isTimeTrusted else { return }
    time = time + step
    guard case .fix(var fix) = content else { return }
    fix.time = time
    content = .fix(fix)
  }
}

/// A place between the entries of a spool, on the disk and in memory.
public struct SpoolPosition: Equatable, Sendable {
  /// The last number before it.
  var sequence: UInt64
  /// Of the entries that are in memory only, how many there ever were before it.
  var inMemory: UInt64
}

/// What the clock by which times were recorded showed when the kernel started: another reading of
/// it within the same start says by how much they are wrong.
public struct ClockOrigin: Equatable, Sendable {
  /// Which start of the kernel it was.
  public let kernelStart: UInt64
  public let wallTime: WallTime

  public init(kernelStart: UInt64, wallTime: WallTime) {
    self.kernelStart = kernelStart
    self.wallTime = wallTime
  }
}

/// Whose spool it is: a hash over what tells this device from every other.
public struct DeviceFingerprint: Equatable, Sendable {
  public static let byteCount = 16

  public let low: UInt64
  public let high: UInt64

  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// That of the device that registers with this id.
  public init(ofDeviceID id: [UInt8]) {
    let digits = fingerprint(of: [id], purpose: "spool")
    guard let low = UInt64(hexadecimal: digits.span.extracting(0..<16)),
      let high = UInt64(hexadecimal: digits.span.extracting(16..<32))
    else { preconditionFailure("a fingerprint is 32 hexadecimal digits") }
    self.init(low: low, high: high)
  }
}
