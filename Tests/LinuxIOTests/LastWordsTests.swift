import CLinux
import Testing

@Suite struct LastWordsTests {
  @Test func aTrapSaysWhereInTheProgramItIs() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let version: StaticString = "1.2.3"
      unsafe clinux_report_fatal_signals(version.utf8Start, version.utf8CodeUnitCount)
      var number = Int.max - CommandLine.arguments.count
      for _ in 0...CommandLine.arguments.count { number += 1 }
      print(number)
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = said.split(separator: "\n").filter { $0.hasPrefix("homeward 1.2.3: ended by SIG") }
    let line = try #require(lines.first, "\(said)")
    let place = try #require(line.firstRange(of: " at 0x"), "\(line)")
    let digits = line[place.upperBound...].prefix { $0.isHexDigit }
    #expect(line.hasSuffix(" at 0x\(digits); please report this line"))
    // The program does not begin where it was loaded.
    #expect(UInt(digits, radix: 16).map { 0x1000..<0x1000_0000 ~= $0 } == true, "\(line)")
    #expect(lines.count == 1)
  }
}
