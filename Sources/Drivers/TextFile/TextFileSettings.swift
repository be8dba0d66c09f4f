import Bytes
public import Sensing
import YAML

/// An entry `file: …` of the configuration's `sensors`: a number in a text file.
public struct TextFileSettings: Equatable, Sendable {
  /// `file`: an absolute path. Required.
  public var path: [UInt8]
  /// `pattern` and `line`: place of the number.
  public var pattern: NumberPattern
  public var measurement: MeasurementSettings
  /// Place of the number, as the configuration has it.
  let place: [UInt8]
}

extension TextFileSettings: SensorSettings {
  static let key: StaticString = "file"
  private static let uniqueIDBytesMax = 64

  init?(_ keys: SectionReader, notAmong taken: TakenNames) {
    let field = keys.required(Self.key, example: "file: /run/tank")
    let path = field?.absolutePath()
    let line = keys.optional("line").map { $0.wholeNumber(in: 1...NumberPattern.lineMax) }
    let patternField = keys.optional("pattern")
    let pattern =
      patternField.map { $0.numberPattern(line: line ?? nil) }
      ?? NumberPattern(line: line ?? nil)
    let measurement = MeasurementSettings(keys, of: nil, notAmong: taken)
    guard let field, let path, let pattern, let measurement else { return nil }
    var place: [UInt8] = []
    if let line = line ?? nil { place += (":\(line)" as MessageText).bytes }
    if let text = patternField?.text() { place += [UInt8(ascii: " ")] + text }
    taken.addresses.add(path + place, of: field)
    self.init(path: path, pattern: pattern, measurement: measurement, place: place)
  }

  /// Unique id with a checksum: two patterns may differ in characters that no unique id can have,
  /// and two paths behind its maximum length.
  var uniqueID: [UInt8] {
    let id = Sensing.uniqueID("file", path.span)
    guard !place.isEmpty || id.count > Self.uniqueIDBytesMax else { return id }
    var checksum = CRC32C()
    checksum.update(path.span)
    checksum.update(place.span)
    let end = ("_\(Int64(checksum.value))" as MessageText).bytes
    return [UInt8](id.prefix(Self.uniqueIDBytesMax - end.count)) + end
  }

  /// Name in messages: the end of path and place, by which paths differ.
  var name: InlineText {
    let text = path + place
    return InlineText([UInt8](text.suffix(InlineText.byteCountMax)).span)
  }

  static func found(in search: BoardSearch) -> FoundKind { FoundKind("Text files", key: key) }

  var entity: EntitySettings { measurement.entity }
  var input: SensorInput { .file(path) }
  var measured: [MeasuredSensor] { measurement.measured }
  func source(_ context: SourceContext) -> any Source { TextFileSensor(self, context) }

  var remedies: SourceRemedies {
    SourceRemedies(of: name, isNamedByPerson: true) { failure in
      switch failure {
      case .missing:
        "write the path of an existing file; the service sees neither /home nor other users' /tmp:"
          + " put it into /run or /var/lib"
      case .malformed: "write where the number is: pattern, such as \"level=*\", or line"
      case .implausible:
        "a number has a point, not a comma, and perhaps a sign before it (LC_ALL=C makes programs"
          + " write so); the text after it must be the text after the * of pattern"
      default: "write the path of a file that the agent may read (ls -l)"
      }
    }
  }
}

extension ConfigurationField {
  fileprivate func numberPattern(line: Int?) -> NumberPattern? {
    guard let text = text() else { return nil }
    if let pattern = NumberPattern(text, line: line) { return pattern }
    reportNot(
      "a pattern", text,
      remedy: "write the text around the number, and one * for the number, such as \"level=*\"")
    return nil
  }
}
