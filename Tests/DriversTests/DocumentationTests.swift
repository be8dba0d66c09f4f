import Bytes
import LinuxIO
import Testing

@testable import Drivers

/// What each kind of source says of its keys stands in the README, and nothing else does.
@Suite struct DocumentationTests {
  /// The rows of the README's table about the keys of sources.
  private var shown: [String] {
    get throws {
      let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
      let path = Path([UInt8]("\(root)/README.md".utf8))
      let lines = string(try readFile(at: path, byteCountMax: 1 << 20)).split(separator: "\n")
      return lines.map(String.init).filter { line in
        ["location", "battery", "system", "sensors"].contains { line.hasPrefix("| `\($0)") }
      }
    }
  }

  private var documented: [String] {
    let texts =
      [GPSDSettings.documentation, BatterySettings.documentation, SystemSettings.documentation]
      + SensorSettings.documentation
    return texts.flatMap { "\($0)".split(separator: "\n").map(String.init) }
  }

  @Test func theReadmeShowsTheKeysOfEachKindInItsWords() throws {
    #expect(try shown == documented)
  }
}
