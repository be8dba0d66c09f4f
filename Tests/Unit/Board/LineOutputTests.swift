import Foundation
import TestRun
import Testing

@testable import Board

/// A pipe with little room, whose reader reads when the test wants it to.
private final class SlowPipe {
  let reader: Int32
  let writer: Int32

  init() throws {
    let pipe = Pipe()
    reader = dup(pipe.fileHandleForReading.fileDescriptor)
    writer = dup(pipe.fileHandleForWriting.fileDescriptor)
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Reads all that is there. Something always is.
  func read() -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe Foundation.read(reader, &bytes, bytes.count)
    return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
  }
}

@Suite struct LineOutputTests {
  private func missing(_ count: Int) -> [UInt8] { [UInt8]("\(count) missing\n".utf8) }

  private func line(_ number: Int, byteCount: Int) -> [UInt8] {
    let text = "\(number) "
    return Array(text.utf8) + [UInt8](repeating: 0x78, count: byteCount - text.utf8.count - 1)
      + [0x0A]
  }

  @Test(arguments: [100, 4095, 4096, 5000, 60_000])
  func noLineIsCutOrMergedAndTheMissingOnesAreCounted(byteCount: Int) throws {
    let pipe = try SlowPipe()
    let output = LineOutput(pipe.writer)
    var text = ""
    var next = 0
    for _ in 0..<5 {
      // More than a pipe holds.
      for _ in 0..<(200_000 / byteCount + 3) {
        output.write(line(next, byteCount: byteCount), missing: missing)
        next += 1
      }
      text += pipe.read()
    }
    // Now there is room for the rest of the last one, and for short ones.
    for _ in 0..<2 {
      output.write(line(next, byteCount: 100), missing: missing)
      next += 1
      text += pipe.read()
    }
    var expected = 0
    for line in text.split(separator: "\n") {
      if line.hasSuffix(" missing") {
        expected += try #require(Int(line.dropLast(" missing".count)))
      } else {
        #expect([byteCount - 1, 99].contains(line.utf8.count))
        #expect(line.hasPrefix("\(expected) "), "\(line.prefix(20))")
        expected += 1
      }
    }
    #expect(expected == next)
  }

  @Test func aReaderThatHasGoneHoldsNothingUp() throws {
    let pipe = try SlowPipe()
    TestRun.outlivesBrokenPipes
    _ = dup2(pipe.writer, pipe.reader)
    let output = LineOutput(pipe.writer)
    for number in 0..<3 { output.write(line(number, byteCount: 100_000), missing: missing) }
  }

  @Test func aReaderThatIsGoneIsNoFailureOfStandardOutput() {
    let output = LineOutput(-1)
    output.write(line(0, byteCount: 9000)) { _ in [] }
    output.write(line(1, byteCount: 9000)) { _ in
      Issue.record("what goes nowhere is not missed")
      return []
    }
    #expect(StandardOutput.failure == nil)
  }
}
