public import Bytes
import HomeAssistant
public import Sensing

/// Acceptable loss after a power cut.
public enum Durability: Equatable, Sendable {
  /// No loss: every reading is on the disk before the next one is processed.
  case reading
  /// The open batch, which is at most one cycle.
  case batch
  /// All entries: nothing is stored on the disk.
  case memory
}

/// Entry that is not proven to be delivered, with its own time.
public struct SpoolEntry: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// A reading; `sensor` is a slot whose name `Spool.uniqueID(of:)` returns.
    case reading(sensor: UInt8, Value)
    /// A fix; its `notBefore` is the earliest time, so that it never counts as fresh.
    case fix(Fix)
  }

  /// Number that increases and is never given twice, so that a receiver can recognise a duplicate.
  /// Nil for an entry that was never on the disk: after a power cut its number would be forgotten.
  public var sequence: UInt64?
  public var time: WallTime
  /// Whether the clock of `time` was known to be right.
  public var isTimeTrusted: Bool
  public var content: Content
}

extension SpoolEntry {
  /// Entry whose place waits for another one.
  static var blank: SpoolEntry {
    SpoolEntry(
      sequence: nil, time: WallTime(nanoseconds: 0), isTimeTrusted: false,
      content: .reading(sensor: 0, .unknown))
  }

  /// Corrects the time by `step`, unless its clock was trusted.
  mutating func correctTime(by step: Duration) {
    guard !isTimeTrusted else { return }
    time = time + step
    guard case .fix(var fix) = content else { return }
    fix.time = time
    content = .fix(fix)
  }
}

/// Position between the entries of a spool, on the disk and in memory.
public struct SpoolPosition: Equatable, Sendable {
  /// Last number before the position.
  var sequence: UInt64
  /// Number of all entries ever in memory before the position.
  var inMemory: UInt64
}

/// Wall time at the start of the kernel by the clock of recorded times: comparing it with a later
/// value of the same start gives their error.
public struct ClockOrigin: Equatable, Sendable {
  public let kernelStart: UInt64
  public let wallTime: WallTime
}

/// Owner of a spool: a hash over the identity of the device.
public struct DeviceFingerprint: Equatable, Sendable {
  public let low: UInt64
  public let high: UInt64

  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Computes the fingerprint of the device that registers with this id.
  public init(ofDeviceID id: [UInt8]) {
    let digits = fingerprint(of: [id], purpose: "spool")
    guard let low = UInt64(hexadecimal: digits.span.extracting(0..<16)),
      let high = UInt64(hexadecimal: digits.span.extracting(16..<32))
    else { preconditionFailure("a fingerprint is 32 hexadecimal digits") }
    self.init(low: low, high: high)
  }
}
