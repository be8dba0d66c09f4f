import Foundation
import Testing

@testable import Board
@testable import Tools

/// The manual pages, which `deploy/package` makes of the help and of the pages in Markdown.
@Suite struct ManualTests {
  /// What a program of `deploy/lib` makes of a text.
  private func awk(
    _ program: String, _ options: [String] = [], of text: [UInt8]
  ) throws -> [String] {
    let folder = TestFolder()
    try folder.write(text, to: "text")
    let script = repository.appending(path: "deploy/lib/\(program)").path
    return try output(of: "awk", options + ["-f", script, folder.url("text").path])
      .components(separatedBy: "\n")
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

  @Test func aPageHasTheSectionsOfAManualEachOnceAndTheUsageFirst() throws {
    for command in Command.all {
      let sections = try awk("manual.awk", of: command.page).filter { $0.hasPrefix(".SH ") }
      #expect(sections.starts(with: [".SH SYNOPSIS", ".SH DESCRIPTION"]), "\(sections)")
      #expect(sections.suffix(2) == [".SH EXAMPLES", ".SH EXIT STATUS"], "\(sections)")
      #expect(sections.contains(".SH OPTIONS"), "\(sections)")
      #expect(Set(sections).count == sections.count, "\(sections)")
    }
  }

  @Test func proseAfterTheOptionsIsPartOfTheDescription() throws {
    let lines = try awk("manual.awk", of: Command.run.page)
    let sections = lines.indices.filter { lines[$0].hasPrefix(".SH ") }
    let onSIGHUP = try #require(lines.firstIndex { $0.hasPrefix("On SIGHUP the agent") })
    let section = try #require(sections.last { $0 < onSIGHUP })
    #expect(lines[section] == ".SH DESCRIPTION")
  }

  @Test func anExampleInTheProseStaysThere() throws {
    let lines = try awk("manual.awk", of: Command.provision.page)
    let example = try #require(lines.firstIndex(of: "card:"))
    #expect(lines[..<example].last { $0.hasPrefix(".SH ") } == ".SH DESCRIPTION")
    #expect(lines[example - 2] == ".nf")
  }

  // MARK: Completions

  /// What a shell completes after `homeward COMMAND`, made of all help pages.
  private func completions(_ shell: String) throws -> [String] {
    let help = Command.overview + Command.all.flatMap(\.page)
    return try awk("completions.awk", ["-v", "shell=\(shell)"], of: help)
  }

  private func words(_ command: Command) -> [String] {
    command.actions.map { "\($0)" }
  }

  /// The options of the table, without those that a command only knows to say that they are gone.
  private func options(_ command: Command) -> [String] {
    let page = String(decoding: command.page, as: UTF8.self)
    let names = (Options.common + command.options).map { "\($0.name)" } + ["--help"]
    return names.filter { page.contains("\($0)") }
  }

  @Test func bashCompletesWhatTheTablesHave() throws {
    let lines = try completions("bash")
    for command in Command.all {
      let line = try #require(lines.first { $0.hasPrefix("    \(command.name)) words='") })
      let completed = line.split(separator: "'")[1].split(separator: " ").map(String.init)
      #expect(Set(completed).isSuperset(of: options(command) + words(command)), "\(line)")
    }
  }

  @Test func zshCompletesWhatTheTablesHave() throws {
    let lines = try completions("zsh")
    for command in Command.all {
      let begin = try #require(lines.firstIndex(of: "  \(command.name))"))
      let own = lines[begin...].prefix { $0 != "    ;;" }
      for option in options(command) {
        #expect(
          own.contains { $0.hasPrefix("      '\(option)[") || $0 == "      '\(option)' \\" },
          "\(command.name) \(option)")
      }
      for word in words(command) {
        #expect(own.last?.contains(word) == true, "\(command.name) \(word)")
      }
    }
  }

  @Test func fishCompletesWhatTheTablesHave() throws {
    let lines = try completions("fish")
    for command in Command.all {
      let own = lines.filter { $0.contains("__fish_seen_subcommand_from \(command.name)'") }
      for option in options(command) {
        #expect(own.contains { ($0 + " ").contains(" -l \(option.dropFirst(2)) ") }, "\(option)")
      }
      for word in words(command) {
        #expect(own.contains { $0.contains(" -a '") && $0.contains(word) }, "\(word)")
      }
    }
  }

  /// The pages that have tables of keys, which other tests hold against the code.
  private static let pages: [String] = {
    let folder = "Sources/Drivers"
    let names =
      (try? FileManager.default.contentsOfDirectory(
        atPath: repository.appending(path: folder).path)) ?? []
    let kinds = names.map { "\(folder)/\($0)/README.md" }.filter {
      FileManager.default.fileExists(atPath: repository.appending(path: $0).path)
    }
    return (["Sources/Board/Configuration/README.md", "\(folder)/README.md"] + kinds).sorted()
  }()

  @Test(arguments: pages)
  func eachKeyOfATableIsAnItemOfTheManual(_ page: String) throws {
    let text = try readFile(page)
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
