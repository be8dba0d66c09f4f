import Testing

@testable import Agent

/// What is told of the lines that a program writes.
@Suite struct ProgramOutputTests {
  private func told(_ chunks: String...) -> (lines: [String], dropped: Int) {
    var output = ProgramOutput()
    for chunk in chunks { output.read([UInt8](chunk.utf8).span) }
    output.ended()
    var lines: [String] = []
    while let line = output.takeLine() { lines.append(String(decoding: line, as: UTF8.self)) }
    return (lines, output.droppedCount)
  }

  @Test func aLineThatComesInPartsIsOne() {
    #expect(told("he", "llo\nwor", "ld").lines == ["hello", "world"])
  }

  @Test func linesWithoutAWordAreNoNews() { #expect(told("\n\na\n\n").lines == ["a"]) }

  @Test func aProgramThatNeverStopsFillsNoLog() {
    let many = String(repeating: "y\n", count: 1000)
    let (lines, dropped) = told(many)
    #expect(lines.count == ProgramOutput.linesMax)
    #expect(dropped == 1000 - ProgramOutput.linesMax)
  }

  @Test func aLineThatNeverEndsIsCut() {
    let most = String(repeating: "x", count: ProgramOutput.lineByteCountMax)
    #expect(told(most).lines == [most])
    #expect(
      told(most + "y", String(repeating: "z", count: 100_000), "\nnext").lines == [
        most + "…", "next",
      ])
  }
}
