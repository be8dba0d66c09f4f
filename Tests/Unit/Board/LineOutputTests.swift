import Foundation
import Testing

@testable import Board

/// A reader that is slow, or has left.
@Suite struct LineOutputTests {
  private static func line(_ number: Int) -> [UInt8] {
    Array("\(number) ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 9000) + Array("\n".utf8)
  }

  /// Takes all that is in a pipe.
  private func drain(_ reader: Int32) -> [UInt8] {
    var taken: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(reader, &bytes, bytes.count)
      guard count > 0 else { return taken }
      taken += bytes[..<count]
    }
  }

  @Test func linesThatASlowReaderMissesAreCountedAndNoneIsCut() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let output = LineOutput(ends[1])
    var number = 0
    var taken: [UInt8] = []
    // The reader sleeps, then reads all of it, again and again.
    for _ in 0..<3 {
      for _ in 0..<30 {
        output.write(Self.line(number)) { Array("missing \($0)\n".utf8) }
        number += 1
      }
      taken += drain(ends[0])
    }
    for _ in 0..<2 {
      output.write(Self.line(number)) { Array("missing \($0)\n".utf8) }
      number += 1
    }
    taken += drain(ends[0])
    var next = 0
    var missingCount = 0
    for line in taken.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "))
      let tail = String(decoding: words.last ?? [], as: UTF8.self)
      if words.first?.elementsEqual("missing".utf8) == true {
        let count = try #require(Int(tail))
        missingCount += count
        next += count
      } else {
        #expect([UInt8](line) + Array("\n".utf8) == Self.line(next), "line \(next)")
        next += 1
      }
    }
    #expect(next == number)
    #expect(missingCount > 0)
  }

  @Test func aReaderThatIsGoneIsNoFailureOfStandardOutput() {
    let output = LineOutput(-1)
    output.write(Self.line(0)) { _ in [] }
    output.write(Self.line(1)) { _ in
      Issue.record("what goes nowhere is not missed")
      return []
    }
    #expect(StandardOutput.failure == nil)
  }
}
