import Bytes
import Foundation
import Testing

@testable import Board
@testable import Drivers
@testable import Tools

/// What the README tells people to write and to type is understood.
@Suite struct ReadmeTests {
  private let text: String

  init() throws { text = try readFile("README.md") }

  /// The fenced blocks of a language.
  private func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  @Test func everyConfigurationInTheReadmeIsRight() throws {
    let files = blocks("yaml")
    #expect(files.count >= 3)
    for file in files {
      #expect(throws: Never.self, "\(file)") { try Configuration.parse([UInt8](file.utf8)) }
    }
  }

  @Test func theConfigurationForTrialsWithHardwareIsRight() throws {
    let block = try #require(readFile("deploy/HARDWARE.md").firstMatch(of: /```yaml\n((?s).*?)```/))
    let configuration = try Configuration.parse([UInt8](block.1.utf8))
    #expect(configuration.sensors.count == 3)
    #expect(configuration.warnings.isEmpty)
  }

  @Test func theReadmeStaysShort() {
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
    #expect(text.split { $0.isWhitespace }.count < 2000)
  }

  /// The commands of the agent: in lines of their own, behind a `$`, or quoted.
  private var commands: [[[UInt8]]] {
    let quoted = text.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { line in
      line.trimmingCharacters(in: CharacterSet(charactersIn: " $"))
    }
    return (quoted + lines).compactMap { line in
      var words = Self.words(of: line.components(separatedBy: " | ")[0])
      if words.first == "sudo" { words.removeFirst() }
      guard words.first == "homeward", words.count > 1 else { return nil }
      return words.dropFirst().map { [UInt8]($0.utf8) }
    }
  }

  /// The words as a shell would split them, as far as the README needs it.
  private static func words(of line: String) -> [String] {
    line.components(separatedBy: "\"").enumerated().flatMap { index, piece in
      index % 2 == 1 ? [piece] : piece.split(separator: " ").map(String.init)
    }
  }

  @Test func everyCommandInTheReadmeIsUnderstood() throws {
    #expect(commands.count >= 10)
    for words in commands {
      let line = String(decoding: Array(words.joined(separator: [0x20])), as: UTF8.self)
      #expect(throws: Never.self, "homeward \(line)") { try Self.understand(words) }
    }
  }

  /// Reads a command line as the program does, and does nothing of it.
  private static func understand(_ words: [[UInt8]]) throws {
    var arguments = Arguments(words)
    guard let name = try arguments.next() else { return }
    guard !("help" ~= name) else { return }
    let command = try #require(Command.named(name))
    _ = try command.task(&arguments)
  }

  // MARK: Commands of the system

  /// The lines of a shell, without the indent.
  private func shellLines(with words: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("    ") && $0.contains(words) }
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// An `EnvironmentFile=` as systemd reads it: one assignment in a line, whose value is all that
  /// follows, without its quotation marks.
  private func environment(_ file: String) -> [String: String] {
    var variables: [String: String] = [:]
    for line in file.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      variables[String(parts[0])] = parts[1].replacing("\"", with: "")
        .trimmingCharacters(in: .whitespaces)
    }
    return variables
  }

  @Test func theLineForGPSDNamesTheReceiverToSystemd() throws {
    let lines = shellLines(with: "/etc/default/gpsd")
    #expect(lines.count == 1)
    let file = try output(
      of: "/bin/sh", ["-euc", "sudo() { cat; }; \(try #require(lines.first))"])
    #expect(
      environment(file) == [
        "DEVICES": "/dev/ttyACM0", "GPSD_OPTIONS": "-n", "USBAUTO": "true",
      ])
  }

  @Test func theBoardNamesWhatDeployPackageTakes() throws {
    let line = try #require(shellLines(with: "echo $VERSION_ID").first)
    let words = try output(of: "/bin/sh", ["-euc", "dpkg() { echo arm64; }; \(line)"])
      .split(separator: " ")
    #expect(words.count == 2)
    let package = try #require(shellLines(with: "deploy/package").first)
    #expect(package.contains("--arch arm64 --debian 12"))
  }

  // MARK: Recipes

  /// What `pair` writes as an example, and what the README explains, is the same.
  @Test func theExampleOfPairIsTheReadmesRecipe() throws {
    let line = String(describing: ConfigurationTemplate.bilge)
    #expect(text.contains("  - { gpio: GPIO17, \(line) }\n"))
    let file = "home_assistant: { url: http://h }\nsensors: [{ gpio: GPIO17, \(line) }]\n"
    let sensor = try Configuration.parse([UInt8](file.utf8)).sensors.first
    let bilge = try #require(sensor as? SensorEntry<GPIOLineSettings>)
    // Water closes the switch, which draws the line to ground.
    #expect(bilge.settings.isActiveLow)
    #expect(bilge.settings.bias == .pullUp)
  }

  /// The pages that the README leads to, and itself.
  static let pages = [
    "README.md", "Sources/README.md", "Sources/Board/Configuration/README.md",
    "Sources/HomeAssistant/README.md", "Sources/Sensing/Power/README.md", "Tests/README.md",
    "boards/README.md", "deploy/HARDWARE.md",
  ]

  @Test(arguments: pages)
  func everyFileThatAPageNamesIsThere(page: String) throws {
    let file = repository.appending(path: page)
    let links = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "](")
      .dropFirst().compactMap { $0.components(separatedBy: ")").first }
    for link in links where !link.contains("://") && !link.hasPrefix("#") {
      let path = link.components(separatedBy: "#")[0]
      let target = file.deletingLastPathComponent().appending(path: path)
      #expect(FileManager.default.fileExists(atPath: target.path()), "\(link)")
    }
  }

  @Test func theChangelogBeginsWithThisVersion() throws {
    #expect(try readFile("deploy/debian/changelog").hasPrefix("homeward (\(homewardVersion)) "))
  }
}
