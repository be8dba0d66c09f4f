public import Bytes

/// Version of a Home Assistant, such as `2025.4.4`, `2026.6.0b1` or `2026.6.0.dev202605010301`.
///
/// A development version comes before the betas of the same number, and these before the release.
/// Text of another form is stored, and is older than every version: such a server gets the messages
/// that the oldest version accepts.
public struct ServerVersion: Hashable, Sendable {
  /// Maximum length of the stored text, in bytes; the longest version so far has 24.
  public static let textByteCountMax = 64

  /// Text of the version; cut to its first `textByteCountMax` bytes.
  public let text: Text
  private let rank: Rank?

  /// Version of a server that has not reported it yet.
  public static let unknown = ServerVersion("")

  /// Parses a version. Text of any other form becomes a version older than all others.
  public init(_ text: Text) {
    self.text = text.cut(to: Self.textByteCountMax)
    rank = text.bytes.count > Self.textByteCountMax ? nil : Rank(text.bytes.span)
  }
}

extension ServerVersion: Comparable {
  /// Orders two texts of one version, and two texts of unknown form, by their bytes, so that only
  /// identical texts are equal.
  public static func < (left: ServerVersion, right: ServerVersion) -> Bool {
    guard left.rank != right.rank else { return left.text < right.text }
    guard let rightRank = right.rank else { return false }
    guard let leftRank = left.rank else { return true }
    return leftRank < rightRank
  }
}

extension ServerVersion {
  /// Feature that some versions of Home Assistant lack.
  public enum Feature: CaseIterable, Sendable {
    /// `support_confirm` of the local push channel.
    case pushConfirmation
    /// `coalesce_messages`: several messages in one frame of the WebSocket.
    case coalescedMessages
    /// `mean_type` and `unit_class` of imported statistics; older versions refuse them.
    case meanTypes
    /// `gps_accuracy` with a fraction; older versions truncate it.
    case fractionalAccuracy

    fileprivate var firstRelease: (year: Int64, month: Int64) {
      switch self {
      case .pushConfirmation: (2021, 10)
      case .coalescedMessages: (2022, 9)
      case .meanTypes: (2025, 11)
      case .fractionalAccuracy: (2026, 5)
      }
    }
  }

  /// Whether a server of this version has the feature. The betas of its first release have it; the
  /// development versions before them may not, and count as without it.
  public func supports(_ feature: Feature) -> Bool {
    guard let rank else { return false }
    return rank >= Rank(firstBetaOf: feature.firstRelease)
  }
}

/// Sort key of a version.
private struct Rank: Hashable {
  private enum Stage {
    static let development: Int64 = 0
    static let beta: Int64 = 1
    static let release: Int64 = 2
  }

  private var year: Int64
  private var month: Int64
  private var patch: Int64 = 0
  private var stage = Stage.release
  /// Number of the beta, or timestamp of the development version.
  private var serial: Int64 = 0

  init(firstBetaOf release: (year: Int64, month: Int64)) {
    (year, month) = release
    stage = Stage.beta
  }

  /// Fails if the text is not of the form `year "." month ["." patch] ["b" number | ".dev"
  /// number]`.
  init?(_ text: Span<UInt8>) {
    var position = 0
    guard let year = Self.number(in: text, at: &position),
      Self.skip(".", in: text, at: &position),
      let month = Self.number(in: text, at: &position)
    else { return nil }
    (self.year, self.month) = (year, month)
    if !text.extracting(position...).starts(with: ".dev"),
      Self.skip(".", in: text, at: &position)
    {
      guard let patch = Self.number(in: text, at: &position) else { return nil }
      self.patch = patch
    }
    if Self.skip("b", in: text, at: &position) {
      stage = Stage.beta
    } else if Self.skip(".dev", in: text, at: &position) {
      stage = Stage.development
    }
    if stage != Stage.release {
      guard let serial = Self.number(in: text, at: &position) else { return nil }
      self.serial = serial
    }
    guard position == text.count else { return nil }
  }

  private static func skip(
    _ literal: StaticString, in text: Span<UInt8>, at position: inout Int
  ) -> Bool {
    guard text.extracting(position...).starts(with: literal) else { return false }
    position += literal.utf8CodeUnitCount
    return true
  }

  /// Returns the whole number at `position`, or nil if there is no digit or the number overflows.
  private static func number(in text: Span<UInt8>, at position: inout Int) -> Int64? {
    let start = position
    while position < text.count, text[position].isASCIIDigit { position += 1 }
    return text.extracting(start..<position).decimalValue
  }
}

extension Rank: Comparable {
  static func < (left: Rank, right: Rank) -> Bool {
    (left.year, left.month, left.patch, left.stage, left.serial)
      < (right.year, right.month, right.patch, right.stage, right.serial)
  }
}
