import Board
import Testing
import YAML

/// Whatever the bytes are: an answer, in bounded time, with places that exist.
@Suite(.timeLimit(.minutes(10))) struct ConfigurationRobustnessTests {
  static let example = Array(ConfigurationTests.everything.utf8)

  /// Parses `bytes` and checks what holds for every answer.
  static func check(_ bytes: [UInt8], _ what: @autoclosure () -> String) throws {
    do throws(ConfigurationErrors) {
      _ = try Configuration.parse(bytes)
    } catch {
      let lineCount = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
      try #require((1...50).contains(error.problems.count), "\(what())")
      for (before, after) in zip(error.problems, error.problems.dropFirst()) {
        try #require((before.line, before.column) <= (after.line, after.column), "\(what())")
      }
      for problem in error.problems {
        try #require((1...lineCount).contains(problem.line), "\(what())")
        try #require((1...bytes.count + 1).contains(problem.column), "\(what())")
        let rendered = problem.rendered(fileName: [])
        try #require(String(validating: rendered, as: UTF8.self) != nil, "\(what())")
        try #require(rendered.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(what())")
        try #require(!problem.problem.isEmpty && !problem.remedy.isEmpty, "\(what())")
      }
    }
  }

  @Test func everyPrefixOfAFileIsAnswered() throws {
    for count in 0...Self.example.count {
      try Self.check(Array(Self.example.prefix(count)), "the first \(count) bytes")
    }
  }

  @Test(arguments: Array("\0\t\n :-,{]\"'&*!#|%0".utf8) + [0x80, 0xC3])
  func anyByteMayBecomeAnother(_ byte: UInt8) throws {
    for index in Self.example.indices {
      var bytes = Self.example
      bytes[index] = byte
      try Self.check(bytes, "byte \(index) is \(byte)")
    }
  }

  @Test(arguments: UInt64(0)..<8)
  func randomEditsAreAnswered(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    for round in 0..<300 {
      var bytes = Self.example
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...20, using: &random))
        let source = Int.random(in: 0..<Self.example.count, using: &random)
        let piece = Self.example[source...].prefix(Int.random(in: 0...20, using: &random))
        bytes.replaceSubrange(start..<end, with: piece)
      }
      try Self.check(bytes, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: UInt64(0)..<4)
  func noiseIsAnswered(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let alphabet = Array("ab:- \n{}[],\"'#&*!|>?%\t~<é".utf8)
    for round in 0..<500 {
      let count = Int.random(in: 0...200, using: &random)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      try Self.check(bytes, "seed \(seed), round \(round)")
    }
  }

  /// What makes parsers slow or deep, as much of it as a file may hold.
  @Test(arguments: [
    "[", "{", "{a: ", "- ", "? ", "a: ", "a:\n", "&a ", "*a ", "!a ", "!", "\"", "'", "#", "%", "-",
    "|\n",
    "a\n", "a: b\n", "- a\n", "[],", "\\", "\u{1F6A4}", "\"\\\n", ":", ",", " ", "\n", "--- a\n",
    "<<: *a\n",
    "a: [[[[[[[[[\n", "\t",
  ])
  func aFileFullOfOneThingIsAnsweredSoon(_ piece: String) throws {
    let piece = Array(piece.utf8)
    for prefix in [[], Array("a: [".utf8), Array("a: \"".utf8)] {
      var bytes = prefix
      while bytes.count + piece.count <= 65536 { bytes += piece }
      try Self.check(bytes, "\(prefix) and \(piece)")
    }
  }

  /// Indentation can nest without a bracket.
  @Test func aStairOfKeysIsAnswered() throws {
    let file = (0..<300).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
    try Self.check(Array(file.utf8), "a stair")
  }
}

/// Vigna's generator: the same numbers for the same seed on every machine.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
