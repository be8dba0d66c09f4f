import Board
import Foundation
import Testing
import YAML

/// The keys of a configuration: those that are known, and those of former versions.
@Suite struct ConfigurationKeyTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources").standardizedFileURL

  private func source(_ path: String) throws -> String {
    try String(contentsOf: Self.sources.appending(path: path), encoding: .utf8)
  }

  /// The words between backticks, in a page and in that of `power`.
  private func wordsOfThePages() throws -> Set<String> {
    let pages = try source("Board/Configuration/README.md") + source("Sensing/Power/README.md")
    let code = pages.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }
    return Set(code.flatMap { $0.element.matches(of: /[a-z0-9_]+/).map { String($0.output) } })
  }

  /// What is compared takes memory and time with the square of its length.
  @Test(arguments: [(32, true), (33, false), (300, false)])
  func aWordThatIsLongerThanAnyIsComparedWithNone(count: Int, isCompared: Bool) {
    let known = [UInt8](repeating: UInt8(ascii: "a"), count: count)
    let written = known.dropLast() + [UInt8(ascii: "b")]
    let index = Suggestion.index(nearestTo: [UInt8](written), in: [known])
    #expect(index == (isCompared ? 0 : nil))
  }

  @Test func eachKeyStandsOnItsPage() throws {
    var keys: Set<String> = []
    for part in ["Reading", "Sections", "Server", "Power"] {
      let file = try source("Board/Configuration/Configuration+\(part).swift")
      for match in file.matches(of: /(?:optional|required)\(\s*"([a-z0-9_]+)"/) {
        keys.insert(String(match.1))
      }
    }
    #expect(keys.count > 40)
    let unknown = try keys.subtracting(wordsOfThePages())
    #expect(unknown.isEmpty, "\(unknown)")
  }

  private static let afterUpload =
    "f:2:1: \"after_upload\" has no effect: the agent does not start programs; remove it; a shell"
    + " starts the program with homeward run --once && PROGRAM, a unit of systemd with OnSuccess="

  /// An update keeps no agent from starting, whatever the key said.
  @Test(arguments: [
    "{ run: [/usr/local/bin/modem-off, --quiet], timeout: 30s }", "{ run: poweroff, after: 5 }",
    "/usr/local/bin/modem-off", "[a, b]", "",
  ])
  func aKeyOfAFormerVersionIsAWarning(_ value: String) throws {
    let configuration = try Outcome.configuration(
      minimum + "after_upload: \(value)\nevery: 10s\n")
    #expect(configuration.every == .seconds(10))
    #expect(
      configuration.warnings.map { text($0.rendered(fileName: [0x66])) } == [Self.afterUpload])
  }

  @Test(arguments: ["oldest_first", "newest_first", "12"])
  func theOrderOfAFormerVersionIsAWarning(order: String) throws {
    let configuration = try Outcome.configuration(
      minimum + "history: { order: \(order), disk_megabytes: 7 }\n")
    #expect(configuration.history.diskMegabytes == 7)
    let warnings = configuration.warnings.map { text($0.rendered(fileName: [0x66])) }
    #expect(
      warnings == [
        "f:2:12: history: \"order\" has no effect: history is sent in the order in which it was"
          + " recorded; remove it"
      ])
  }

  @Test func aMistakeBesideSuchAKeyIsOne() {
    let problem = Outcome.problem(minimum + "after_upload: off\nevry: 10s\n")
    #expect(problem == "f:3:1: unknown key \"evry\"; did you mean \"every\"?")
  }
}
