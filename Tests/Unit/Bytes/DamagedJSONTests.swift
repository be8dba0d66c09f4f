import Bytes
import Foundation
import Testing

@Suite struct DamagedJSONTests {
  private static let sample = [UInt8](
    #"{"a":[1,-2.5e+3,0],"é":"x\"\\\u00e9\ud83d\ude90","t":true,"f":false,"n":null,"o":{"":[{}]}}"#
      .utf8)

  /// Reads `bytes` as far as they make sense, texts unescaped, through every way in.
  private func readAll(_ bytes: [UInt8]) {
    try? checkJSON(bytes)
    var buffer = ByteBuffer(capacity: 1024)
    var reader = JSONReader(bytes.span)
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        key.append(to: &buffer)
        switch try reader.nextKind() {
        case .string: try reader.text().append(to: &buffer)
        case .boolean: _ = try reader.boolean()
        case .array:
          try reader.openArray()
          while try reader.nextElement() {
            if try reader.nextKind() == .number {
              _ = try reader.integer()
            } else {
              try reader.skipValue()
            }
          }
        case .number, .null, .object: try reader.skipValue()
        }
      }
    } catch {}
    #expect(reader.position <= bytes.count)
  }

  @Test func aTextCutAnywhereIsTruncated() {
    for end in 0..<Self.sample.count {
      #expect(throws: JSONError.truncated, "cut at \(end)") {
        try checkJSON(Array(Self.sample[..<end]))
      }
    }
  }

  @Test func anyByteMayBeAnything() {
    for index in Self.sample.indices {
      for byte in UInt8.min...UInt8.max {
        var damaged = Self.sample
        damaged[index] = byte
        readAll(damaged)
      }
    }
  }

  @Test func noiseIsReadWithoutLeavingTheBytes() {
    let alphabet = [UInt8](#"{}[]:,"\u0123e+-. tfn"#.utf8)
    for seed in UInt64(0)..<2000 {
      var random = SplitMix64(seed: seed)
      readAll((0..<40).map { _ in alphabet.randomElement(using: &random) ?? 0 })
    }
  }

  @Test func anyCallsInAnyOrderOnAnyTextEndInAnErrorAtWorst() {
    let alphabet = [UInt8](#"{}[]:,"\u01eE+-. tfn"#.utf8)
    var failedCount = 0
    for seed in UInt64(0)..<20_000 {
      var random = SplitMix64(seed: seed)
      var text = randomValue(depth: 3, &random)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        text[Int.random(in: text.indices, using: &random)] =
          alphabet.randomElement(using: &random) ?? 0
      }
      let calls = (0...Int.random(in: 0...10, using: &random)).map { _ in
        ReaderCall.allCases.randomElement(using: &random) ?? .finish
      }
      let errors = Self.errors(of: calls, on: text)
      let failed = errors.drop { $0 == nil }
      if !failed.allSatisfy({ $0 == failed.first }) {
        Issue.record("seed \(seed): \(calls) on \(text): \(errors)")
      }
      if !failed.isEmpty { failedCount += 1 }
    }
    #expect((10_000..<20_000).contains(failedCount), "the samples must go both ways")
  }

  /// What each call throws.
  private static func errors(of calls: [ReaderCall], on text: [UInt8]) -> [JSONError?] {
    var reader = JSONReader(text.span)
    var errors: [JSONError?] = []
    for call in calls {
      do throws(JSONError) {
        try call.make(on: &reader)
        errors.append(nil)
      } catch {
        errors.append(error)
      }
    }
    return errors
  }

  @Test func anotherReaderAcceptsAndRefusesTheSame() throws {
    let alphabet = [UInt8](#"{}[]:,"\/u0129eE+-. tfn"#.utf8)
    var accepted = 0
    for seed in UInt64(0)..<4000 {
      var random = SplitMix64(seed: seed)
      var text = randomValue(depth: 3, &random)
      let index = Int.random(in: text.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: text.remove(at: index)
      case 1: text[index] = alphabet.randomElement(using: &random) ?? 0
      case 2: text.insert(alphabet.randomElement(using: &random) ?? 0, at: index)
      default: break
      }
      // Foundation tolerates a comma in front of the end of an object.
      if text.filter({ !$0.isASCIISpace }).split(separator: [UInt8](",}")).count > 1 { continue }
      let isValid =
        (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
      let isAccepted = (try? checkJSON(text)) != nil
      #expect(isAccepted == isValid, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
      if isAccepted { accepted += 1 }
    }
    #expect((1000...3000).contains(accepted), "the samples must go both ways")
  }

  private func randomValue(depth: Int, _ random: inout SplitMix64) -> [UInt8] {
    let scalars = ["0", "-1.5", "12e1", "true", "false", "null", #""a\n""#, #""\u0041""#, #""""#]
    let scalar = [UInt8]((scalars.randomElement(using: &random) ?? "").utf8)
    guard depth > 0 else { return scalar }
    let count = Int.random(in: 0...3, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return scalar
    case 1:
      let elements = (0..<count).map { _ in randomValue(depth: depth - 1, &random) }
      return [UInt8]("[") + elements.joined(separator: [UInt8](", ")) + [UInt8]("]")
    default:
      let members = (0..<count).map { _ in
        [UInt8]("\"k\":") + randomValue(depth: depth - 1, &random)
      }
      return [UInt8]("{") + members.joined(separator: [UInt8](",")) + [UInt8]("}")
    }
  }
}
