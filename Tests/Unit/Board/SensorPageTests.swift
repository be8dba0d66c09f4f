import Board
import Foundation
import Testing

@testable import Drivers

/// The pages of the kinds of sources, which stand beside their drivers, say what the code does.
@Suite struct SensorPageTests {
  private static let drivers = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/Drivers").standardizedFileURL

  /// The folders of kinds that have keys in the configuration.
  private static let kinds: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: drivers.path)) ?? []
    return names.filter { kind in
      kind != "Source"
        && files(of: kind).contains { $0.lastPathComponent.hasSuffix("Settings.swift") }
    }.sorted()
  }()

  private static func files(of kind: String) -> [URL] {
    let folder = drivers.appending(path: kind)
    return
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
  }

  private func page(_ kind: String) throws -> String {
    try String(contentsOf: Self.drivers.appending(path: "\(kind)/README.md"), encoding: .utf8)
  }

  /// The keys that a reader of the configuration asks for.
  private func keys(inFilesOf kind: String) throws -> Set<String> {
    let asked = /(?:(?:optional|required|hint)\(\s*|let key: StaticString = )"([a-z0-9_]+)"/
    var keys: Set<String> = []
    for file in Self.files(of: kind) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: asked) { keys.insert(String(match.1)) }
    }
    return keys
  }

  private func commonKeys() throws -> Set<String> {
    // Three are asked for by a name that is a variable.
    try keys(inFilesOf: "Source").union(["device_class", "unit", "state_class"])
  }

  /// What stands between backticks in the first column of the tables of keys.
  private func documentedKeys(in page: String) -> Set<String> {
    var keys: Set<String> = []
    var isInTable = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "| key | what | default |" { isInTable = true }
      if line.isEmpty { isInTable = false }
      guard isInTable, let cell = line.split(separator: "|").first else { continue }
      for match in cell.matches(of: /`([a-z0-9_.]+)`/) {
        // `moving.every` is a key in the section of another one.
        keys.formUnion(match.1.split(separator: ".").map(String.init))
      }
    }
    return keys
  }

  @Test func thereIsAKindForEachFolderWithSettings() {
    #expect(Self.kinds.count >= 5)
  }

  @Test(arguments: kinds)
  func thePageOfAKindHasItsKeysAndNoOthers(_ kind: String) throws {
    // The keys of whole sections are asked for by the configuration.
    let sections: Set<String> = ["battery", "location", "system"]
    let documented = documentedKeys(in: try page(kind)).subtracting(sections)
    let asked = try keys(inFilesOf: kind)
    #expect(asked.subtracting(documented).isEmpty)
    // A page may say what a key of every sensor means here.
    #expect(documented.subtracting(asked).subtracting(try commonKeys()).isEmpty)
  }

  @Test func thePageOfAllKindsHasTheKeysOfAllKinds() throws {
    let page = try String(
      contentsOf: Self.drivers.appending(path: "README.md"), encoding: .utf8)
    #expect(documentedKeys(in: page) == (try commonKeys()))
    for kind in Self.kinds { #expect(page.contains("(\(kind)/README.md)"), "\(kind)") }
  }

  /// A kind without a row in the table of kinds is one that no configuration can have.
  @Test func eachKindOfSensorHasItsRowOnThePageAndInTheTable() throws {
    let page = try String(
      contentsOf: Self.drivers.appending(path: "README.md"), encoding: .utf8)
    let rows = page.matches(of: /`sensors: \[\{ ([a-z_]+): … \}\]`/).map { String($0.1) }
    #expect(rows.sorted() == SensorKind.all.map { "\($0.key)" }.sorted())
  }

  @Test(arguments: kinds)
  func theExamplesOfAPageAreRight(_ kind: String) throws {
    let examples = try page(kind).components(separatedBy: "```yaml\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
    #expect(!examples.isEmpty)
    for example in examples {
      let file = "home_assistant: { url: http://192.168.1.5:8123 }\n" + example
      #expect(throws: Never.self, "\(example)") { try Configuration.parse([UInt8](file.utf8)) }
    }
  }
}
