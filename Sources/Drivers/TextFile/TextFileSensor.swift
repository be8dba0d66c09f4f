import Bytes
import LinuxIO
import Sensing

/// A number in a text file that another program writes.
///
/// The file is opened for each reading: a program that writes it well replaces the old file by a
/// new one.
public final class TextFileSensor: NumberSource {
  /// Number of bytes that are read of a file; a number has to end before that.
  public static let byteCountMax = 4096

  private let path: Path
  private let pattern: NumberPattern
  private let measurement: MeasurementSettings
  /// Whether the file is on a disk of another machine, or this is unknown.
  private var isRemote = true
  /// Buffer with one byte more, which shows that a file is longer.
  private var buffer = ByteBuffer(capacity: TextFileSensor.byteCountMax + 1)

  init(_ settings: TextFileSettings, _ context: SourceContext) {
    path = Path(settings.path)
    pattern = settings.pattern
    measurement = settings.measurement
    super.init(
      settings.name, context, measurement.description(uniqueID: settings.uniqueID),
      minChange: measurement.entity.minChange, isNamed: true)
  }

  override var mayHang: Bool { isRemote }

  override func number() throws(SourceFailure) -> FixedPoint {
    do throws(Errno) { try readBeginning(ofFileAt: path, into: &buffer) } catch {
      isRemote = true
      throw SourceFailure(error, of: name)
    }
    if isRemote { isRemote = LinuxIO.isRemote(fileAt: path) }
    let number = buffer.withBytes { text in
      let isCut = text.count > Self.byteCountMax
      let shown = isCut ? text.extracting(..<Self.byteCountMax) : text
      return pattern.number(in: shown, isCut: isCut)
    }
    guard let number else { throw whatIsWrong }
    return try measurement.value(of: number, from: name)
  }

  /// Failure with the text in the place of the number.
  private var whatIsWrong: SourceFailure {
    let place = buffer.withBytes { text in
      pattern.place(in: text).map { InlineText(text.extracting($0).trimmed()) }
    }
    if let place {
      let why = InlineText("but a number such as -2.5 is expected")
      return .implausible(name, found: place, why: why)
    }
    let found = buffer.withBytes { InlineText($0.trimmed()) }
    return .malformed(name, found: found.count > 0 ? found : InlineText("nothing"))
  }
}
