import CLinux
import Foundation
import Testing

@Suite struct LastWordsTests {
  /// What a program does at its start.
  private static func reportFatalSignals() {
    let version: StaticString = "1.2.3"
    unsafe clinux_report_fatal_signals(version.utf8Start, version.utf8CodeUnitCount)
  }

  @Test func aTrapSaysWhereInTheProgramItIs() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      LastWordsTests.reportFatalSignals()
      var number = Int.max - CommandLine.arguments.count
      for _ in 0...CommandLine.arguments.count { number += 1 }
      print(number)
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = said.split(separator: "\n").filter { $0.hasPrefix("homeward 1.2.3: ended by SIG") }
    let line = try #require(lines.first, "\(said)")
    let place = try #require(line.firstRange(of: " at 0x"), "\(line)")
    let digits = line[place.upperBound...].prefix { $0.isHexDigit }
    #expect(line.hasSuffix(" at 0x\(digits)\(end)"), "not of the first thread: \(line)")
    // The program does not begin where it was loaded.
    #expect(UInt(digits, radix: 16).map { 0x1000..<0x1000_0000 ~= $0 } == true, "\(line)")
    #expect(lines.count == 1)
  }

  private let end = "; please report this line"

  /// What a stack was written over with is no frame.
  @Test func aThreadWhoseStackIsNotKnownIsNotFollowed() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      LastWordsTests.reportFatalSignals()
      Thread.detachNewThread { raise(SIGBUS) }
      while true { sleep(1) }
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let line = try #require(said.split(separator: "\n").first { $0.contains("SIGBUS") })
    #expect(line == "homeward 1.2.3: ended by SIGBUS in a library\(end)")
  }

  @Test func theLineIsKeptInTheDirectoryWithItsTime() async throws {
    let directory = try TestDirectory()
    // One that is longer is replaced as a whole.
    try directory.write([UInt8](repeating: 65, count: 5000), to: "last-words")
    let path = directory.name
    let result = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]
    ) { [path = path as String] in
      LastWordsTests.reportFatalSignals()
      clinux_keep_last_words(unsafe open(path, O_RDONLY | O_DIRECTORY))
      abort()
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let line = try #require(said.split(separator: "\n").first { $0.contains("SIGABRT") })
    let kept = try String(contentsOfFile: "\(directory.name)/last-words", encoding: .utf8)
    let words = kept.split(separator: " ", maxSplits: 1)
    #expect(words.last.map(String.init) == line + "\n")
    let age = try #require(words.first.flatMap { Double($0) }) - Date().timeIntervalSince1970
    #expect(-3600...1 ~= age)
  }
}
