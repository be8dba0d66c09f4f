public import Bytes

/// The state of the anchor watch that outlives a restart, and the file that stores it. Integers are
/// little-endian:
///
///     size  field       meaning
///        4  magic       "HWAN"
///        2  version     1
///        1  setter      0 not set, 1 by a GPIO line, 2 by a command
///        1  boat        0 the anchor has no place yet, 1 the boat is inside, 2 it is outside
///        4  latitude    of the anchor, in 10^-7 degrees north
///        4  longitude   of the anchor, in 10^-7 degrees east
///        1  line        1 the GPIO line was active when it was read last, else 0
///        4  checksum    CRC-32C of all bytes before
public struct KeptAnchor: Equatable, Sendable {
  /// Origin of the watch.
  public enum Setter: UInt8, Sendable { case line = 1, command = 2 }

  /// Place of the anchor, to a centimetre.
  public struct Place: Equatable, Sendable {
    let latitude: Int32
    let longitude: Int32

    /// Nil if the fix is not on Earth.
    init?(_ fix: Fix) {
      guard let latitude = FixedPoint(rounding: fix.latitude, decimals: 7)?.coefficient,
        let longitude = FixedPoint(rounding: fix.longitude, decimals: 7)?.coefficient
      else { return nil }
      self.init(latitude: Int32(clamping: latitude), longitude: Int32(clamping: longitude))
    }

    fileprivate init?(latitude: Int32, longitude: Int32) {
      guard (-900_000_000...900_000_000).contains(latitude),
        (-1_800_000_000...1_800_000_000).contains(longitude)
      else { return nil }
      self.latitude = latitude
      self.longitude = longitude
    }

    var point: EarthPoint {
      EarthPoint(latitudeDegrees: Double(latitude) / 1e7, longitudeDegrees: Double(longitude) / 1e7)
    }
  }

  public static let fileByteCount = 21
  private static let frame = KeptFrame(magic: "HWAN", version: 1)

  /// Nil if no watch is set.
  var setter: Setter?
  /// Nil before the first fix.
  var place: Place?
  var isOutside = false
  /// Whether the line was active at its last reading: only another level is a change.
  var isLineActive = false

  init() {}

  /// Contents of the file.
  public var file: ByteBuffer {
    var buffer = ByteBuffer(capacity: Self.fileByteCount)
    Self.frame.open(&buffer)
    buffer.append(setter?.rawValue ?? 0)
    buffer.append(place == nil ? 0 : isOutside ? 2 : 1)
    buffer.append(littleEndian: place?.latitude ?? 0)
    buffer.append(littleEndian: place?.longitude ?? 0)
    buffer.append(isLineActive ? 1 : 0)
    Self.frame.close(&buffer)
    return buffer
  }

  public init(file bytes: Span<UInt8>) throws(KeptFrameError) {
    _ = try Self.frame.bodyEnd(of: bytes)
    guard bytes.count == Self.fileByteCount, bytes[6] <= 2, bytes[7] <= 2, bytes[16] <= 1
    else { throw .damaged }
    setter = Setter(rawValue: bytes[6])
    isLineActive = bytes[16] == 1
    guard bytes[7] > 0 else { return }
    place = Place(
      latitude: bytes.littleEndian(Int32.self, at: 8),
      longitude: bytes.littleEndian(Int32.self, at: 12))
    guard place != nil else { throw .damaged }
    isOutside = bytes[7] == 2
  }
}
