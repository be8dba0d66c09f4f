import Bytes
import Testing

private enum Origin: Text, JSONDecodable {
  case local = "LOCAL"
  case remote = "REMOTE"
}

private enum Level: Int, JSONDecodable { case low = 1, high }

private struct Inner: JSONDecodable, Equatable {
  let name: Text
  init(json: JSON) throws(JSONDecodingError) { name = try json.get("name") }
}

@Suite struct JSONDecodingTests {
  private let value: JSON = [
    "text": "x", "integer": 1, "decimal": 1.5, "whole": 1.0, "truth": true, "null": nil,
    "array": [1, 2], "mixed": [1, "2", nil, 4], "object": ["a": 1, "b": 2],
    "inner": ["name": "n"], "origin": "REMOTE", "level": 2,
  ]

  @Test func aMemberIsDecodedByItsType() throws {
    #expect(try value.get("text") as Text == "x")
    #expect(try value.get("text") as String == "x")
    #expect(try value.get("integer") as Int == 1)
    #expect(try value.get("integer") as Int64 == 1)
    #expect(try value.get("integer") as Double == 1)
    #expect(try value.get("decimal") as Double == 1.5)
    #expect(try value.get("truth") as Bool)
    #expect(try value.get("null") as JSON == .null)
    #expect(try value.get("array") as [Int] == [1, 2])
    #expect(try value.get("object") as JSONObject == ["a": 1, "b": 2])
    #expect(try value.get("object") as [Text: Int] == ["a": 1, "b": 2])
    #expect(try value.get("inner", as: Inner.self).name == "n")
    #expect(try value.get("origin", as: Origin.self) == .remote)
    #expect(try value.get("level", as: Level.self) == .high)
  }

  @Test func aMissingMemberIsNamed() {
    #expect(throws: JSONDecodingError.missingKey("missing")) { try value.get("missing") as Text }
    #expect(throws: JSONDecodingError.missingKey("missing")) { try value.get("missing") as Text? }
  }

  private func expectWrongKind<Value: JSONDecodable>(
    _ key: Text, as type: Value.Type, _ expected: JSON.Kind, _ found: JSON.Kind,
    _ place: SourceLocation = #_sourceLocation
  ) {
    #expect(
      throws: JSONDecodingError.wrongKind(key: key, expected: expected, found: found),
      sourceLocation: place
    ) { try value.get(key, as: type) }
  }

  @Test func aMemberOfAnotherKindIsNamedWithBothKinds() {
    expectWrongKind("text", as: Int.self, .number, .string)
    expectWrongKind("null", as: Text.self, .string, .null)
    expectWrongKind("object", as: [Int].self, .array, .object)
    expectWrongKind("array", as: [Text: Int].self, .object, .array)
    #expect(throws: JSONDecodingError.wrongKind(key: "root", expected: .object, found: .array)) {
      try ([] as JSON).get("a") as Int
    }
    expectWrongKind("text", as: Inner.self, .object, .string)
  }

  @Test func trueIsNoNumberAndOneIsNotTrue() {
    expectWrongKind("truth", as: Double.self, .number, .boolean)
    expectWrongKind("truth", as: WallTime.self, .string, .boolean)
    expectWrongKind("integer", as: Bool.self, .boolean, .number)
  }

  @Test func aNumberThatTheTypeCannotHoldIsInvalid() throws {
    #expect(throws: JSONDecodingError.invalidValue(key: "decimal")) {
      try value.get("decimal") as Int
    }
    #expect(throws: JSONDecodingError.invalidValue(key: "whole")) { try value.get("whole") as Int }
    let (whole, decimal) = (try json("9223372036854775808"), try json("1e400"))
    #expect(throws: JSONDecodingError.invalidValue(key: "root")) { try Int(json: whole) }
    #expect(throws: JSONDecodingError.invalidValue(key: "root")) { try Double(json: decimal) }
  }

  @Test func aValueThatIsNoneOfTheNamedOnesIsInvalid() throws {
    let other = try json(#"{"integer":3}"#)
    #expect(throws: JSONDecodingError.invalidValue(key: "text")) {
      try value.get("text", as: Origin.self)
    }
    #expect(throws: JSONDecodingError.invalidValue(key: "integer")) {
      try other.get("integer", as: Level.self)
    }
    expectWrongKind("level", as: Origin.self, .string, .number)
  }

  @Test func anErrorInsideNamesTheInnerMember() throws {
    let (inner, object) = (
      try json(#"{"inner":{"name":1}}"#), try json(#"{"o":{"a":1,"b":null}}"#)
    )
    #expect(throws: JSONDecodingError.missingKey("name")) {
      try value.get("object", as: Inner.self)
    }
    #expect(throws: JSONDecodingError.wrongKind(key: "name", expected: .string, found: .number)) {
      try inner.get("inner", as: Inner.self)
    }
    expectWrongKind("mixed", as: [Int].self, .number, .string)
    #expect(throws: JSONDecodingError.wrongKind(key: "b", expected: .number, found: .null)) {
      try object.get("o") as [Text: Int]
    }
  }

  @Test func nullIsNilOfAnOptional() throws {
    #expect(try value.get("null") as Int? == nil)
    #expect(try value.get("integer") as Int? == 1)
    let list = try json("[1,null]")
    #expect(try list.decoded() as [Int?] == [1, nil])
    expectWrongKind("text", as: Int?.self, .number, .string)
  }

  @Test func aMemberThatMayBeMissingMayAlsoBeNullButNotWrong() throws {
    #expect(try value.getIfPresent("missing") as Int? == nil)
    #expect(try value.getIfPresent("null") as Int? == nil)
    #expect(try value.getIfPresent("integer") as Int? == 1)
    #expect(throws: JSONDecodingError.wrongKind(key: "text", expected: .number, found: .string)) {
      try value.getIfPresent("text") as Int?
    }
  }

  @Test func aDefaultStandsForMissingAndNullOnly() throws {
    #expect(try value.get("missing", default: 7) == 7)
    #expect(try value.get("null", default: 7) == 7)
    #expect(try value.get("integer", default: 7) == 1)
    #expect(throws: JSONDecodingError.wrongKind(key: "text", expected: .number, found: .string)) {
      try value.get("text", default: 7)
    }
  }

  @Test func aValueOnFailureStandsForAnythingWrong() {
    #expect(value.get("missing", orOnFailure: 7) == 7)
    #expect(value.get("text", orOnFailure: 7) == 7)
    #expect(value.get("object", orOnFailure: nil as Inner?) == nil)
    #expect(value.get("integer", orOnFailure: 7) == 1)
    #expect(JSON.null.get("a", orOnFailure: 7) == 7)
  }

  @Test func aTransformThatFailsIsAnInvalidValue() throws {
    #expect(try value.get("integer", transform: { (i: Int) in i + 1 }) == 2)
    #expect(throws: JSONDecodingError.invalidValue(key: "integer")) {
      try value.get("integer", transform: { (_: Int) in nil as Int? })
    }
    #expect(throws: JSONDecodingError.missingKey("missing")) {
      try value.get("missing", transform: { (i: Int) in i })
    }
    #expect(throws: JSONDecodingError.wrongKind(key: "text", expected: .number, found: .string)) {
      try value.get("text", transform: { (i: Int) in i })
    }
  }

  @Test func aLossyArrayLeavesOutAndCountsWhatDoesNotDecode() throws {
    let mixed = try value.getLossy("mixed", of: Int.self)
    #expect(mixed.elements == [1, 4])
    #expect(mixed.skippedCount == 2)
    #expect(mixed.count == 2 && mixed.reversed() == [4, 1], "it is a collection of those")
    #expect(throws: JSONDecodingError.wrongKind(key: "text", expected: .array, found: .string)) {
      try value.getLossy("text", of: Int.self)
    }
    #expect(throws: JSONDecodingError.missingKey("missing")) {
      try value.getLossy("missing", of: Int.self)
    }
  }
}

extension JSON {
  fileprivate func decoded<Value: JSONDecodable>() throws(JSONDecodingError) -> Value {
    try Value(json: self)
  }
}
