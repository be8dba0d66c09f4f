import Foundation
import Testing

@testable import Board
@testable import Tools

/// The manual pages, which `deploy/package` makes of the help and of the pages in Markdown.
@Suite struct ManualTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardizedFileURL

  /// What a program of `deploy/lib` makes of a text.
  private func awk(
    _ program: String, _ options: [String] = [], of text: [UInt8]
  ) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(text).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let awk = Process()
    let output = Pipe()
    awk.executableURL = URL(filePath: "/usr/bin/env")
    awk.arguments =
      ["awk"] + options + [
        "-f", Self.root.appending(path: "deploy/lib/\(program)").path, file.path,
      ]
    awk.standardOutput = output
    try awk.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    awk.waitUntilExit()
    #expect(awk.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n")
  }

  @Test func theHelpFitsIntoEightyColumns() {
    for page in Command.all.map(\.page) + [Command.overview] {
      let text = String(decoding: page, as: UTF8.self)
      #expect(!text.contains("\n\n\n"), "\(text)")
      for line in text.components(separatedBy: "\n") {
        #expect(line.count <= 80, "\(line)")
      }
    }
  }

  @Test func theExitCodesStandInTheManualOnce() throws {
    for command in Command.all {
      let lines = try awk("manual.awk", of: command.page)
      #expect(lines.filter { $0.contains("EXIT STATUS") }.count == 1, "\(lines)")
      #expect(!lines.contains { $0.contains("the command line is wrong") })
    }
    let overview = try awk("manual.awk", of: Command.overview)
    #expect(!overview.contains { $0.contains("the command line is wrong") })
    let codes = try awk("manual.awk", ["-v", "part=codes"], of: Command.overview)
    let first = codes.first { $0.hasPrefix("64") }
    #expect(first?.contains("the command line is wrong") == true, "\(codes)")
    #expect(!codes.contains { $0.contains("Usage") })
  }

  /// The pages that have tables of keys, which other tests hold against the code.
  private static let pages: [String] = {
    let folder = "Sources/Drivers"
    let names =
      (try? FileManager.default.contentsOfDirectory(
        atPath: root.appending(path: folder).path)) ?? []
    let kinds = names.map { "\(folder)/\($0)/README.md" }.filter {
      FileManager.default.fileExists(atPath: root.appending(path: $0).path)
    }
    return (["Sources/Board/Configuration/README.md", "\(folder)/README.md"] + kinds).sorted()
  }()

  @Test(arguments: pages)
  func eachKeyOfATableIsAnItemOfTheManual(_ page: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
    let lines = try awk("pages.awk", of: [UInt8](text.utf8))
    for table in text.components(separatedBy: "| key | what | default |\n").dropFirst() {
      for row in table.components(separatedBy: "\n").dropFirst().prefix(while: { $0.hasPrefix("|") }
      ) {
        let key = row.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
          .split(separator: "`")[0]
        #expect(
          lines.indices.dropFirst().contains {
            lines[$0 - 1] == ".TP" && lines[$0].hasPrefix("\\fB\(key)\\fR")
          }, "\(key)")
      }
    }
    #expect(!lines.contains { $0.contains("](") || $0.hasPrefix("|") || $0.hasPrefix("```") })
  }

  @Test func codeOfAPageStaysAsItIs() throws {
    let page = "# Page\n\n```yaml\nsensors:\n  - { name: 'a', x: \"\\n\" }\n```\n"
    let lines = try awk("pages.awk", of: [UInt8](page.utf8))
    #expect(
      lines.contains(#"  \- { name: \(aqa\(aq, x: "\en" }"#)
        || lines.contains(#"  \- { name: \(aqa\(aq, x: "\\en" }"#), "\(lines)")
    #expect(lines.first == ".SH PAGE")
  }
}
